package ledger

// rememberedFor is in seconds from the first use of a key.
const rememberedFor = 86_400

type keyOf struct {
	client string
	key    string
}

type use struct {
	at      int64
	content string
	answer  string
}

// Keys remembers the answers to keyed commands; every client has keys of its own.
type Keys struct {
	uses map[keyOf]use
}

// Recall returns the remembered answer, or false if the key is new or forgotten. It returns a Refused
// if the key is remembered with another content.
func (k *Keys) Recall(client, key string, at int64, content string) (string, bool, error) {
	remembered, known := k.uses[keyOf{client, key}]
	if !known || at >= remembered.at+rememberedFor {
		return "", false, nil
	}
	if remembered.content != content {
		return "", false, Refused("key_conflict")
	}
	return remembered.answer, true, nil
}

// Remember keeps an answer.
func (k *Keys) Remember(client, key string, at int64, content, answer string) {
	k.uses[keyOf{client, key}] = use{at, content, answer}
}
