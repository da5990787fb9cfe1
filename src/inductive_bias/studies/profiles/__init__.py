"""What architectures prefer: thirty-five models on fourteen probes, beside which a model of one's own can stand."""

from inductive_bias.studies.profiles.claims import CLAIMS
from inductive_bias.studies.profiles.design import DESIGN, TUNING
from inductive_bias.studies.study import Page, Size, Study

STUDY = Study(
    name="profiles",
    question="What do architectures prefer?",
    part="The bias profile of a model",
    design=DESIGN,
    pages=(
        Page(
            "profiles/architectures",
            question="Which rule does a model choose if two explain the data, and does it hold on longer sequences?",
            tests="recurrent models prefer other rules than attention; the layer that mixes the tokens matters more "
            "than the size",
        ),
        Page(
            "profiles/teachers",
            question="What does a teacher move in the profile of its student?",
            tests="a student comes nearer to its teacher’s profile, and takes over which rule the teacher prefers",
        ),
    ),
    claims=CLAIMS,
    tuning=TUNING,
    sizes={
        "smoke": Size("generated sequences", "four tiny models and four students, four probes", "half a minute"),
        "laptop": Size(
            "generated sequences of fourteen probes",
            "thirty-five models of 5,000 to 100,000 weights, four students",
            "about 4 h on 2 cores",
        ),
        "paper": Size("fourteen probes, four times as many steps", "the same"),
    },
)
