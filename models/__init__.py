"""THE SHARED WORDS: what is stored and exchanged; the glossary is in CONTRIBUTING.md."""
