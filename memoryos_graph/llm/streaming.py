"""A reply that comes in pieces, put together to what a whole reply would have been."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from types import SimpleNamespace
from typing import Any


class Streamed:
    """Tells each piece of text as it comes. `told` is true once one was told."""

    def __init__(self, on_text: Callable[[str], None]) -> None:
        self._on_text = on_text
        self.told = False

    async def read(self, opening: Awaitable[Any]) -> Any:
        """Read a stream to its end and give the response that it amounts to.

        A stream without any end (no reason, no mark) broke off: raises TimeoutError, as a connection that fell silent.
        """
        stream = await opening
        text, refusal, finish, usage = "", "", None, None
        try:
            async for chunk in stream:
                usage = getattr(chunk, "usage", None) or usage
                choice = next(iter(getattr(chunk, "choices", None) or ()), None)
                delta = getattr(choice, "delta", None)
                piece = getattr(delta, "content", None)
                if isinstance(piece, str) and piece:
                    text += piece
                    self.told = True
                    self._on_text(piece)
                refusal += getattr(delta, "refusal", None) or ""
                finish = getattr(choice, "finish_reason", None) or finish
        finally:
            await stream.close()
        if finish is None:
            raise TimeoutError
        message = SimpleNamespace(content=text, refusal=refusal or None)
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason=finish)], usage=usage)
