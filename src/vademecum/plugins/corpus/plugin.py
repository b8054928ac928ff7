"""Plugin registration."""

from vademecum.plugin import Plugin, rows_in

PLUGIN = Plugin(
    name="corpus",
    about="A pass through all transcripts: each is read, mined and handed over.",
    verbs=rows_in("vademecum.plugins.corpus.verbs", "VERBS"),
    words="reflect",
    first_words={"reflect": "Runs over everything that is known."},
    menu={"Capture": "reflect"},
    examples="""
reflect corpus: reflect corpus
reflect corpus: reflect corpus --execute
""",
)
