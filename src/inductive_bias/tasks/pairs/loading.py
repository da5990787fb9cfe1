"""The sets of pairs by name, as ids of a model's vocabulary."""

from functools import lru_cache, partial
from pathlib import Path

from inductive_bias.tasks import files, identity
from inductive_bias.tasks.kept import kept
from inductive_bias.tasks.lines import FileKey, file_key
from inductive_bias.tasks.pairs.blimp import read_marvin_linzen, read_paradigms
from inductive_bias.tasks.pairs.edinburgh import read_edinburgh
from inductive_bias.tasks.pairs.encoding import encode_pairs
from inductive_bias.tasks.pairs.grammar import SOURCE as GRAMMAR_SOURCE
from inductive_bias.tasks.pairs.grammar import grammar_pairs
from inductive_bias.tasks.pairs.lm_testset import read_lm_testset
from inductive_bias.tasks.pairs.minimal_pairs import MinimalPairs
from inductive_bias.tasks.pairs.own import read_pairs
from inductive_bias.tasks.vocabulary import Vocabulary

PAIR_SETS = ("wiki-dev", "wiki-test", "linzen-lm", "marvin-linzen", "blimp", "grammar")
#: Pairs scored of a template of Marvin & Linzen (up to 22,400) and of a paradigm of BLiMP (1,000): scoring all of them
#: would take longer than training.
A_TEMPLATE = 200


def load_set(
    of: str,
    *,
    vocabulary: Vocabulary,
    max_tokens: int,
    where: files.Places,
    download: bool,
    data_seed: int = 0,
    allow_other: bool = False,
) -> MinimalPairs:
    """A set of ``PAIR_SETS`` by its name, or any other by the path of a file of pairs.

    Equal requests share one result per process; a user's file that has changed is read again. With ``allow_other`` the
    files of a set may be others than the public ones. A file given by its path is the user's own.

    Raises:
        DataError: If a file is missing, damaged, not the public one or not of its format, or the vocabulary is of
            another corpus.
    """
    if of in PAIR_SETS:
        return _load_known(of, vocabulary, max_tokens, where, download, data_seed, allow_other)
    path = files.find([of], where)
    if path is None:
        raise files.missing([of], where)
    return _load_file(file_key(path), vocabulary, max_tokens)


@kept(maxsize=16)
def _load_known(
    name: str,
    vocabulary: Vocabulary,
    max_tokens: int,
    where: files.Places,
    download: bool,
    data_seed: int,
    allow_other: bool,
) -> MinimalPairs:
    encode = partial(encode_pairs, name, vocabulary=vocabulary, max_tokens=max_tokens)
    if name == "grammar":
        return encode(grammar_pairs(data_seed), scoring="verb", source=GRAMMAR_SOURCE)
    if name == "marvin-linzen":
        read = read_marvin_linzen(where, allow_other=allow_other)
        return encode(read, scoring="sentence", source="real:marvin-linzen", max_per_template=A_TEMPLATE)
    if name == "blimp":
        read = read_paradigms(where, allow_other=allow_other)
        return encode(read, scoring="sentence", source="real:blimp", max_per_template=A_TEMPLATE)
    if name == "linzen-lm":
        read = read_lm_testset(where, download=download, allow_other=allow_other)
    else:
        read = read_edinburgh(name, where, download=download, allow_other=allow_other)
    return encode(read, scoring="verb", source=f"real:{name}")


@lru_cache(maxsize=128)
def _load_file(key: FileKey, vocabulary: Vocabulary, max_tokens: int) -> MinimalPairs:
    path = key[0]
    source = identity.source_of("", [path.name])
    name, read = file_name(str(path)), read_pairs(path)
    return encode_pairs(name, read, vocabulary, max_tokens=max_tokens, scoring="sentence", source=source)


def file_name(path: str) -> str:
    """The name of a file without folders and endings."""
    return Path(path).name.split(".")[0]
