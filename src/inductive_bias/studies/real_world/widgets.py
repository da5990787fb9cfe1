"""The beat viewer of the page: beats of every test patient, and who recognises them."""

import math

import pandas as pd

from inductive_bias import plotting
from inductive_bias.plotting import PageWidget
from inductive_bias.studies.real_world.design import MITBIH, MODELS
from inductive_bias.studies.real_world.figures.scores import by_record
from inductive_bias.studies.real_world.measures.patients import COURSES, PATIENTS
from inductive_bias.studies.results import Results

#: Kinds of beat in words, by their letter.
WORDS = {"N": "normal", "S": "supraventricular", "V": "ventricular"}
#: Of ``sex``, in words.
SEXES = {"F": "woman", "M": "man"}


def viewer(results: Results) -> PageWidget:
    """Every test patient and kind of beat of MIT-BIH; first the patient with most supraventricular beats."""
    courses, found = results.table(COURSES), by_record(results)
    found["model"] = pd.Categorical(found["model"], MODELS)  # their order
    courses = courses[courses["data"] == MITBIH]
    tested, learnt = courses[courses["split"] == "test"], courses[courses["split"] == "train"]
    # a small run is scored on a part of the beats: what it was not asked about is not shown
    tested = tested.merge(found[["record", "kind"]].drop_duplicates(), on=["record", "kind"])
    early = tested.merge(found[found["kind"] == "S"], on=["record", "kind"])
    start = (int(early.loc[early["beats"].idxmax(), "record"]), "S") if len(early) else None
    return plotting.beats_widget(
        tested,
        learnt=learnt,
        recalls=found,
        patients=patients(results.table(PATIENTS), sorted(tested["record"].unique().tolist())),
        kinds=WORDS,
        colours=plotting.palette(MODELS),
        start=start,
        instead="A table of this page, behind “More”, has the share recognised of every patient and kind of beat.",
    )


def patients(known: pd.DataFrame, records: list[int]) -> dict[int, str]:
    """Records in words, ``"record 232, woman of 76"``, with as much as is known of the patient."""
    rows, words = known.drop_duplicates("record").set_index("record"), {}
    for record in records:
        words[record] = f"record {record}"
        if record in rows.index and (sex := SEXES.get(rows.at[record, "sex"])):
            age = float(rows.at[record, "age"])
            words[record] += f", {sex}" if math.isnan(age) else f", {sex} of {age:.0f}"
    return words
