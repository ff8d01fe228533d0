package cache

import "fmt"

// refusal is why a command was not carried out; its text is the answer.
type refusal string

func (r refusal) Error() string {
	return "refused " + string(r)
}

func refuse(kind string) error {
	return refusal(kind)
}

func refuseFor(kind string, subject any) error {
	return refusal(fmt.Sprintf("%s %v", kind, subject))
}
