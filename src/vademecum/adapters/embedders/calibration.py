"""How alike a model finds a question and a passage that have nothing to do with each other.

With it the cosines of two models can be compared. The same made-up texts serve every model; passages are as long as turns
of a conversation, because some models find every long text a little like everything.
"""

from vademecum.model.ports import Embedder

QUESTIONS = (
    "When does the boiler have to be bled?",
    "Which database did we choose for the billing service?",
    "What is Maria allergic to?",
    "From which platform does the train to Lisbon leave?",
    "How do I roll back a failed deployment?",
    "Who lent me the telescope?",
    "What did the dentist recommend last spring?",
    "Where are the batteries for the smoke detector?",
    "Why must the message queue never be restarted at night?",
    "What was the name of the novel about the lighthouse keeper?",
    "How long is the interest on the mortgage fixed?",
    "Which vaccine does the dog still need?",
)

PASSAGES = (
    "I finally went back to the pottery class yesterday! My first bowl collapsed on the wheel, but the teacher was really "
    "patient and showed me how to keep my elbows still. Next week we are going to try glazes, and I can't wait.",
    "That sounds great. We should plan the picnic for Saturday then. I can bring the salad and the folding chairs, and if "
    "you take care of the drinks, the kids can help to carry the blankets down to the river.",
    "The test suite was flaky because two workers wrote into the same temporary folder. I gave each worker a folder of its "
    "own and removed the retries, so a failure is a real failure now. Please run it twice before merging.",
    "Could you help me to write a cover letter? I have worked as a nurse for eight years, mostly in intensive care, and I "
    "would like to move into teaching. It should be friendly, and not longer than one page.",
    "Sure! Here is a simple plan for your first half marathon: run three times a week, keep one of the runs long and slow, "
    "and do not add more than ten percent of distance from one week to the next. Rest before you feel tired.",
    "It was so hard to say goodbye to her. She had been with us since I was a little girl, and the house feels empty. My "
    "brother planted a cherry tree in the garden, so that we have a place to sit and think of her.",
    "To speed up the import, read the file in blocks and insert a thousand rows in one transaction. An index on the customer "
    "column should be created afterwards; building it while rows arrive made everything four times slower.",
    "The exhibition opens on Friday with forty of my photographs. Half of them are from the desert, half from the harbour "
    "at night. I am nervous, since the curator invited two people from the newspaper.",
    "You could try a vegetable curry with chickpeas. Fry the onions until they are golden, add ginger and cumin, then the "
    "tomatoes and the coconut milk. Twenty minutes are enough, and it tastes even better on the next day.",
    "My daughter got the part of the witch in the school play, and she has been practising her laugh at every meal. We are "
    "sewing the costume from an old curtain. I promised to film the whole evening for her grandparents.",
    "For a triangle with sides of five, twelve and thirteen, the area is thirty, because the angle between the two shorter "
    "sides is a right angle. You can check it with the theorem of Pythagoras before you multiply and halve.",
    "The landlord wrote that the rent goes up by four percent. I asked for a calculation and for the repair of the window "
    "that we reported in winter. Until he answers I shall pay the old amount and keep copies of every letter.",
)


def background(embedder: Embedder) -> tuple[float, float]:
    """(mean, standard deviation) of the cosine over all pairs of `QUESTIONS` and `PASSAGES`."""
    cosines = embedder.embed(QUESTIONS, role="query") @ embedder.embed(PASSAGES, role="passage").T
    return float(cosines.mean()), float(cosines.std())
