"""Public files are compared with the digests declared for them; a user's own file never passes for one."""

import gzip
import hashlib
import io
import json

import numpy as np
import pytest

from inductive_bias.errors import DataError
from inductive_bias.tasks import (
    MNIST,
    Agreement,
    CharacterModelling,
    LanguageModelling,
    PolyphonicMusic,
    SlotFilling,
    identity,
    plain_texts,
)
from inductive_bias.tasks.files import cache_folder, find, places, read_bytes
from inductive_bias.tasks.mnist_c import read_folder
from inductive_bias.tasks.pairs import blimp
from inductive_bias.tasks.vocabulary import Vocabulary
from inductive_bias.tasks.wikitext import read_wikitext
from inductive_bias.trials import canonical
from tests.tasks.conftest import DECLARED

SIZES = {"valid": 3, "test": 2, "train": 60}


@pytest.fixture
def root(tmp_path, declare):
    """A WikiText-2 whose parts are other sentences, ``numpred`` sets, and two corrupted sets of digits."""
    for part, n in SIZES.items():
        lines = "".join(f" The {part} house {i} is old . They are red . \n" for i in range(n))
        put(tmp_path / "wikitext2" / f"{part}.txt", lines)
    folder = tmp_path / "linzen_agreement" / "rnn_agr_simple"
    for part in ("val", *(f"test.{count}" for count in range(1, 6))):
        rows = [f"{'VBZ' if i % 3 else 'VBP'}\t{part} the cat near the dogs {i}\n" for i in range(60)]
        put(folder / f"numpred.{part}", "".join(rows))
    declare(tmp_path)
    return tmp_path


def put(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def exchange(first, second):
    one, other = first.read_bytes(), second.read_bytes()
    first.write_bytes(other)
    second.write_bytes(one)


def load(task, root):
    return task.load(root, download=False)


class TestWikitext:
    def test_the_public_text_is_real_zipped_or_not(self, root):
        path = root / "wikitext2" / "valid.txt"
        assert read_wikitext("valid", root).own == ()
        put(path.with_suffix(".txt.gz"), gzip.compress(path.read_bytes(), mtime=1))
        path.unlink()
        assert read_wikitext("valid", root).own == ()
        assert load(LanguageModelling(), root)["train"].source == "real:wikitext2"

    def test_a_validation_text_that_is_the_test_text_is_told(self, root):
        path = root / "wikitext2" / "valid.txt"
        path.write_bytes((root / "wikitext2" / "test.txt").read_bytes())
        with pytest.raises(
            DataError, match=r"valid\.txt is not .*: its content is that of wikitext2/test\.txt"
        ) as error:
            load(LanguageModelling(), root)
        assert str(path) in str(error.value)

    @pytest.mark.parametrize(
        "change",
        [
            lambda content: content[: len(content) // 2],
            lambda content: b"\xef\xbb\xbf" + content,
            lambda content: content[:20] + b"\0" * 20 + content[40:],
            lambda content: content + b"\n",
            lambda content: b"",
        ],
        ids=["half", "BOM", "NUL", "one line more", "empty"],
    )
    @pytest.mark.parametrize("zipped", [False, True])
    def test_a_changed_text_is_refused_with_its_name_and_what_was_expected(self, root, change, zipped):
        path = root / "wikitext2" / "train.txt"
        expected = hashlib.sha256(path.read_bytes()).hexdigest()
        changed = change(path.read_bytes())
        if zipped:
            path.unlink()
            path, changed = path.with_suffix(".txt.gz"), gzip.compress(changed)
        path.write_bytes(changed)
        with pytest.raises(DataError, match=f"expected {expected}.*allow_other=True") as error:
            load(LanguageModelling(), root)
        assert str(path) in str(error.value)

    def test_a_text_of_your_own_is_named_in_every_source(self, root):
        put(root / "wikitext2" / "valid.txt", " Another text . \n")
        task = LanguageModelling(allow_other=True)
        assert {split.source for split in load(task, root).values()} == {"own:valid.txt"}

    def test_with_allow_other_the_public_text_is_still_real(self, root):
        assert {split.source for split in load(LanguageModelling(allow_other=True), root).values()} == {
            "real:wikitext2"
        }

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b" One . \n\0\0 two . \n", r"train\.txt is not text: line 2 has a NUL byte"),
            (" One . \n".encode("utf-16-le"), "line 1 has a NUL byte"),
            (b" caf\xe9 . \n", "not UTF-8 text: line 1"),
            (" One . \n".encode("utf-16"), "not UTF-8 text: line 1"),
            (b"", "no sentence in it"),
            (b"\xef\xbb\xbf", "no sentence in it"),
        ],
        ids=["NUL", "UTF-16 without BOM", "latin-1", "UTF-16", "empty", "BOM alone"],
    )
    def test_a_file_of_your_own_that_is_no_text_is_refused(self, root, content, message):
        put(root / "wikitext2" / "train.txt", content)
        with pytest.raises(DataError, match=message):
            load(LanguageModelling(allow_other=True), root)

    def test_the_mark_of_an_editor_is_not_the_first_word_of_your_own_text(self, root):
        put(root / "wikitext2" / "train.txt", b"\xef\xbb\xbf" + b" One . \n")
        assert read_wikitext("train", root, allow_other=True).sentences == [["one", "."]]


class TestAgreement:
    def test_sets_of_other_attractors_exchanged_are_told(self, root):
        folder = root / "linzen_agreement" / "rnn_agr_simple"
        exchange(folder / "numpred.test.1", folder / "numpred.test.2")
        with pytest.raises(DataError, match=r"numpred\.test\.1 is not .*its content is that of .*numpred\.test\.2"):
            load(Agreement(), root)

    def test_exchanged_labels_are_refused(self, root):
        path = root / "linzen_agreement" / "rnn_agr_simple" / "numpred.val"
        path.write_text(path.read_text().replace("VBZ", "x").replace("VBP", "VBZ").replace("x", "VBP"))
        with pytest.raises(DataError, match=r"numpred\.val is not the public file .*expected [0-9a-f]{64}"):
            load(Agreement(), root)

    def test_one_file_of_your_own_is_named_in_all_splits_since_each_depends_on_all(self, root):
        path = root / "linzen_agreement" / "rnn_agr_simple" / "numpred.test.5"
        path.write_text(path.read_text() + "VBZ\tone more\n")
        put(root / "wikitext2" / "test.txt", " The house is old . \n")
        data = load(Agreement(allow_other=True), root)
        assert {split.source for split in data.values()} == {"own:numpred.test.5+test.txt"}

    def test_a_file_without_a_declared_sum_is_refused_with_the_sum_it_has(self, root, tmp_path):
        content = "VBZ\tthe cat\n"
        put(root / "linzen_agreement" / "rnn_agr_simple" / "numpred.train", content)
        found = hashlib.sha256(content.encode()).hexdigest()
        with pytest.raises(DataError, match=rf"no SHA-256 of .*numpred\.train is declared .*{found}"):
            load(Agreement(regime="official"), root)


class TestCharacters:
    TEXT = "To be, or not to be.\n" * 200

    def test_another_text_is_refused_or_your_own(self, tmp_path):
        put(tmp_path / "tinyshakespeare" / "input.txt", self.TEXT)
        with pytest.raises(
            DataError, match=r"input\.txt is not the public file tinyshakespeare/input\.txt: the sha256"
        ):
            load(CharacterModelling(window=8), tmp_path)
        data = load(CharacterModelling(window=8, allow_other=True), tmp_path)
        assert {split.source for split in data.values()} == {"own:input.txt"}
        assert not data.is_sample

    @pytest.mark.parametrize(
        ("content", "message"), [(b"abc\0", "NUL byte"), (b"caf\xe9", "not UTF-8"), (b"", "no longer than a window")]
    )
    def test_a_file_of_your_own_that_is_no_text_is_refused(self, tmp_path, content, message):
        put(tmp_path / "tinyshakespeare" / "input.txt", content)
        with pytest.raises(DataError, match=message):
            load(CharacterModelling(allow_other=True), tmp_path)


class TestPairs:
    WIKI_DEV = "linzen_agreement/full_sentences/wiki-dev.txt"
    HEADER = "sentence\tsubj_idx\tverb_idx\tverb_pos\tverb\tinflected_verb\n"
    VOCABULARY = Vocabulary(["the", "dog", "barks", "bark", "."])

    def pairs(self, root, **choices):
        return LanguageModelling(**choices).load_pairs(self.VOCABULARY, root, download=False)

    def test_another_set_is_refused_or_your_own(self, tmp_path):
        put(tmp_path / self.WIKI_DEV, self.HEADER + "the dog barks .\t1\t2\tVBZ\tbarks\tbark\n")
        with pytest.raises(DataError, match=r"wiki-dev\.txt is not the public file .*expected e38b28be"):
            self.pairs(tmp_path, pairs=("wiki-dev",))
        assert self.pairs(tmp_path, pairs=("wiki-dev",), allow_other=True)["wiki-dev"].source == "own:wiki-dev.txt"

    def test_identical_forms_of_a_verb_are_listed_and_empty_ones_refused(self, tmp_path):
        rows = ["the dog barks .\t1\t2\tVBZ\tbarks\tbark\n", "the dog bark .\t1\t2\tVBZ\tbark\tbark\n"]
        put(tmp_path / self.WIKI_DEV, self.HEADER + "".join(rows))
        pairs = self.pairs(tmp_path, pairs=("wiki-dev",), allow_other=True)["wiki-dev"]
        assert pairs.skipped == {"right and wrong are identical": 1}
        put(tmp_path / self.WIKI_DEV, self.HEADER + "the dog barks .\t1\t2\tVBZ\tbarks\t\n")
        with pytest.raises(
            DataError, match="line 2: verb and inflected_verb should be words, but they are 'barks' and ''"
        ):
            self.pairs(tmp_path, pairs=("wiki-dev",), allow_other=True, max_tokens=32)

    def test_identical_and_empty_pairs_of_your_own_are_listed(self, tmp_path):
        sentences = [("The dog barks.", "The dog bark."), ("The dog.", "the dog ."), ("", "The dog."), (" ", "")]
        lines = [json.dumps({"sentence_good": good, "sentence_bad": bad}) for good, bad in sentences]
        put(tmp_path / "mine.jsonl", "\n".join(lines))
        pairs = self.pairs(tmp_path, pairs=(), pair_files=("mine.jsonl",))["mine"]
        assert len(pairs) == 1
        assert pairs.skipped == {"right and wrong are identical": 1, "empty sentence": 2}
        assert pairs.source == "own:mine.jsonl"

    @pytest.mark.parametrize(
        ("content", "message"),
        [(b"", "there is none in it"), (b"\0\0", "NUL byte"), (b'{"sentence_good": "\xff"}', "not UTF-8")],
    )
    def test_a_file_of_your_own_without_pairs_is_refused(self, tmp_path, content, message):
        put(tmp_path / "mine.jsonl", content)
        with pytest.raises(DataError, match=rf"mine\.jsonl.*{message}"):
            self.pairs(tmp_path, pairs=(), pair_files=("mine.jsonl",))

    def test_templates_exchanged_are_told(self, tmp_path, declare):
        line = '{"template": "%s", "case": "", "sentence_good": "The dog barks.", "sentence_bad": "The dog bark."}\n'
        folder = tmp_path / "marvin_linzen"
        for template in (name.split("/")[1] for name in blimp.SHA256):
            put(folder / template, line % template)
        declare(tmp_path)
        sets = self.pairs(tmp_path, pairs=("marvin-linzen",))
        assert sets["marvin-linzen"].source == "real:marvin-linzen"
        exchange(folder / "sent_comp.jsonl", folder / "vp_coord.jsonl")
        with pytest.raises(DataError, match=r"sent_comp\.jsonl is not .*its content is that of marvin_linzen/vp_coord"):
            self.pairs(tmp_path, pairs=("marvin-linzen",), max_tokens=32)


class TestCorruptedDigits:
    @pytest.fixture
    def folders(self, tmp_path):
        made = {}
        for number, name in enumerate(("scale", "rotate", "fog")):
            made[name] = tmp_path / "mnist_c" / name
            for stem, array in (
                ("test_images", np.full((2, 28, 28, 1), number, np.uint8)),
                ("test_labels", np.arange(2)),
            ):
                content = io.BytesIO()
                np.save(content, array)
                put(made[name] / f"{stem}.npy", content.getvalue())
        return made

    def test_sets_exchanged_are_told(self, folders, tmp_path, declare):
        declare(tmp_path)
        assert not read_folder(folders["scale"]).own
        exchange(folders["scale"] / "test_images.npy", folders["rotate"] / "test_images.npy")
        with pytest.raises(DataError, match=r"its content is that of mnist_c/rotate/test_images\.npy"):
            read_folder(folders["scale"])
        assert read_folder(folders["scale"], allow_other=True).own

    def test_the_sums_that_a_verified_download_left_are_compared(self, folders, tmp_path):
        sums = {
            f"mnist_c/{name}/{path.name}": hashlib.sha256(path.read_bytes()).hexdigest()
            for name, folder in folders.items()
            for path in folder.iterdir()
        }
        with pytest.raises(DataError, match=r"no SHA-256 of mnist_c/fog/test_images\.npy is declared"):
            read_folder(folders["fog"])
        put(tmp_path / "mnist_c" / "sha256.json", json.dumps(sums))
        assert not read_folder(folders["fog"]).own
        assert not read_folder(folders["scale"]).own
        exchange(folders["scale"] / "test_images.npy", folders["fog"] / "test_images.npy")
        with pytest.raises(DataError, match=r"its content is that of mnist_c/scale/test_images\.npy"):
            read_folder(folders["fog"])

    @pytest.mark.parametrize("content", ["", "[1, 2]", "{"])
    def test_a_broken_list_of_sums_is_refused(self, folders, tmp_path, content):
        put(tmp_path / "mnist_c" / "sha256.json", content)
        with pytest.raises(DataError, match=r"sha256\.json is not the list of sums"):
            read_folder(folders["scale"])


class TestPlaces:
    @pytest.mark.parametrize(
        ("task", "name"),
        [
            (LanguageModelling(), "wikitext2/train.txt"),
            (CharacterModelling(), "tinyshakespeare/input.txt"),
            (Agreement(), "linzen_agreement/rnn_agr_simple/numpred.val"),
            (MNIST(), "mnist/train-images-idx3-ubyte.gz"),
            (PolyphonicMusic(), "poly_music/jsb_chorales.npz"),
            (SlotFilling(), "atis/atis-2.train.w-intent.iob"),
        ],
        ids=lambda value: getattr(value, "kind", ""),
    )
    def test_a_folder_in_place_of_a_file_is_refused(self, tmp_path, task, name):
        (tmp_path / name).mkdir(parents=True)
        with pytest.raises(DataError, match=f"{name} should be a file, and is a folder"):
            load(task, tmp_path)

    def test_a_file_in_place_of_a_folder_is_refused(self, tmp_path):
        put(tmp_path / "mnist_c" / "fog", "")
        with pytest.raises(DataError, match="mnist_c/fog should be a folder, and is a file"):
            find(["mnist_c/fog"], places(tmp_path), folder=True)

    @pytest.mark.parametrize("name", ["x" * 300, "a\0b"], ids=["too long", "NUL"])
    def test_a_name_that_no_file_can_have_is_refused(self, tmp_path, name):
        with pytest.raises(DataError, match="cannot be looked at"):
            find([name], places(tmp_path))

    @pytest.mark.parametrize(
        "task", [LanguageModelling(), CharacterModelling(), Agreement(), MNIST(), PolyphonicMusic(), SlotFilling()]
    )
    def test_a_data_folder_that_is_not_there_is_refused(self, tmp_path, task):
        with pytest.raises(DataError, match=r"root= should name a folder of data, but .*nowhere is not a folder"):
            load(task, tmp_path / "nowhere")
        assert not cache_folder().exists()


def test_the_source_of_your_own_files_names_each_once():
    assert identity.source_of("real:x", []) == "real:x"
    assert identity.source_of("real:x", ["b.txt", "a.txt", "b.txt"]) == "own:a.txt+b.txt"


@pytest.mark.parametrize(
    "task", [MNIST, Agreement, LanguageModelling, CharacterModelling, PolyphonicMusic, SlotFilling]
)
def test_only_a_changed_choice_of_files_is_in_an_id(task):
    assert not task().allow_other
    assert "allow_other" not in canonical(task())
    choices = {"corruption_files": True} if task is MNIST else {}
    assert canonical(task(allow_other=True, **choices))["allow_other"] is True


def test_the_declared_identities_are_those_of_the_real_files(shared_data_folder):
    if not (shared_data_folder / "wikitext2").is_dir():
        pytest.skip("the real files are not here: no wikitext2/ in INDUCTIVE_BIAS_DATA or ../shared/data")
    compared = 0
    for table in DECLARED:
        for name, digests in table.items():
            paths = [path for ending in ("", ".gz") if (path := shared_data_folder / f"{name}{ending}").is_file()]
            for path in paths:
                assert hashlib.sha256(read_bytes(path)).hexdigest() in digests, path
            compared += bool(paths)
    text = plain_texts.TEXTS["tinyshakespeare"]
    content = read_bytes(shared_data_folder / f"{text.path}.gz")
    assert hashlib.new(text.algorithm, content).hexdigest() == text.digest
    # WikiText-2, one text of Wikipedia, the tags of its words, numpred, today's sentences and those tags again, five
    # files of pairs, 18 templates, 61 paradigms, two files of 9 corruptions, four sets of music, ATIS and
    # SNIPS
    assert compared == 3 + 1 + 1 + 6 + (3 + 1) + 5 + 18 + 61 + 2 * 9 + 4 + (3 + 6)
