"""A door as a dependency of FastAPI."""

import inspect
import re
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool

from fastapi import HTTPException, Request

from ._door import Door, Passport, PassportRefused

Params = Callable[[Request], Mapping[str, Any] | Awaitable[Mapping[str, Any]]]


def admit(door: Door, params: Params | None = None) -> Callable[[Request], Awaitable[Passport]]:
    """
    A dependency that answers the passport of a request, or refuses it. `params` are the parameters that the constraints of a
    passport limit; without them a passport that has some is refused.
    """

    async def admitted(request: Request) -> Passport:
        bearer = re.fullmatch(r"Bearer +(\S+)", request.headers.get("authorization", ""), re.IGNORECASE)
        given = params(request) if params is not None and bearer is not None else {}
        call = await given if inspect.isawaitable(given) else given
        try:
            return await run_in_threadpool(door.admit, bearer[1] if bearer else None, params=call)
        except PassportRefused as refused:
            raise HTTPException(refused.status, str(refused), challenge(refused)) from refused

    return admitted


def challenge(refused: PassportRefused) -> dict[str, str]:
    if refused.status == 401:
        return {"www-authenticate": "Bearer" if refused.because == "missing" else 'Bearer error="invalid_token"'}
    return {"www-authenticate": 'Bearer error="insufficient_scope"'} if refused.status == 403 else {}
