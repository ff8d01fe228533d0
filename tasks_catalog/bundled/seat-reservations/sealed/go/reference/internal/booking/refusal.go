package booking

// refusal is why a step was not carried out; its text is the answer.
type refusal struct {
	kind    string
	subject string
}

func (r refusal) Error() string {
	if r.subject == "" {
		return "refused " + r.kind
	}
	return "refused " + r.kind + " " + r.subject
}

func refuse(kind string) error {
	return refusal{kind: kind}
}

func refuseFor(kind, subject string) error {
	return refusal{kind: kind, subject: subject}
}
