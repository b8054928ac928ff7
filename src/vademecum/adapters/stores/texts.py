"""Texts as stores take them: what FTS5 must know of them, and what UTF-8 can hold."""

#: As FTS5 takes it. Marks count as letters: the vowels of Thai and Hindi are marks.
TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2", "categories", "L* N* Co Mn Mc")


def clean(text: str) -> str:
    """`text` as it can be written in UTF-8: lone surrogates become U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def plainly(text: str) -> str:
    """A text as it is compared word for word: small letters, each stretch of white space one blank."""
    return " ".join(text.casefold().split())
