"""All settings, read once; an unknown or impossible one stops the start with its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AliasChoices, BeforeValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from .domain.budget import Budget
from .domain.heat import HeatWeights
from .errors import SetupError

PREFIX = "MEMORYOS_"
PAPER = {  # the MemoryOS paper; source: design.md 9
    "short_term_capacity": 7,
    "migration_batch": 1,
    "mid_term_capacity": 200,
    "knowledge_capacity": 100,
    "cosine_floor": -1.0,
    "promotion_min_pages": 1,
    "promotion_max_wait_s": 0.0,
}


def _stripped(given: Any) -> Any:
    """A value without spaces and line ends around it, as files and shells leave them; an empty one is none."""
    return (given.strip() or None) if isinstance(given, str) else given


Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Url = Annotated[str | None, BeforeValidator(_stripped)]
Key = Annotated[SecretStr | None, BeforeValidator(_stripped)]


def _or_openai(name: str, openai_name: str) -> AliasChoices:
    """Our variable, else the one of the `openai` package, which many servers' manuals tell people to set."""
    return AliasChoices(PREFIX + name.upper(), openai_name, name)


class Settings(BaseSettings):
    """Settings of one process. Environment: `MEMORYOS_` + the upper-case name, and the NEO4J_* names of the
    driver's world.

    Use `load_settings` at a start: it also refuses unknown names and turns errors into one sentence.
    """

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True, populate_by_name=True)

    data_dir: Path = Field(
        default_factory=lambda: Path(platformdirs.user_data_dir("memoryos-graph")),
        description="home of the managed database and of the secret key",
    )
    host: str = Field("127.0.0.1", description="address the service listens on")
    port: int = Field(8000, ge=1, le=65535, description="port of the service")

    neo4j_uri: str | None = Field(None, validation_alias=AliasChoices("NEO4J_URI", "neo4j_uri"))
    neo4j_user: str = Field("neo4j", validation_alias=AliasChoices("NEO4J_USER", "NEO4J_USERNAME", "neo4j_user"))
    neo4j_password: SecretStr | None = Field(None, validation_alias=AliasChoices("NEO4J_PASSWORD", "neo4j_password"))
    neo4j_database: str = Field("neo4j", validation_alias=AliasChoices("NEO4J_DATABASE", "neo4j_database"))
    managed_line: Literal["2026", "5"] = Field("2026", description="server line of the managed Neo4j")
    managed_port: int | None = Field(
        None, ge=1, le=65535, description="Bolt port of the managed Neo4j; a free one else"
    )
    jars_dir: Path | None = Field(None, description="folder with the server's jars, for machines without network")
    maven_url: str | None = Field(None, description="mirror to fetch the server's jars from")

    secret_key: SecretStr | None = Field(None, description="keys the event chain; a 0600 file in data_dir else")
    embedding_model: str = Field("all-MiniLM-L6-v2", description="the packaged model, or a name or path")
    embedding_dimension: int | None = Field(None, ge=1, le=4096, description="length of the model's vectors")
    embedding_options: dict[str, Any] = Field({}, description="what the model takes besides, as a JSON object")
    profile: Literal["default", "paper"] = Field("default", description="which defaults: ours, or the paper's")
    embedding_base_url: Url = Field(None, description="an OpenAI-compatible server that embeds instead")
    embedding_api_key: Key = Field(None, description="the key of that server")
    embedding_window_tokens: int = Field(
        512, ge=32, le=100_000, description="tokens of one text for that server; longer pages are cut into passages"
    )
    llm: Literal["rules", "model"] = Field("rules", description="the provider that reads pages")
    llm_base_url: Url = Field(
        None, validation_alias=_or_openai("llm_base_url", "OPENAI_BASE_URL"), description="the model's server"
    )
    llm_api_key: Key = Field(None, validation_alias=_or_openai("llm_api_key", "OPENAI_API_KEY"))
    llm_model: str | None = Field(None, min_length=1, description="the model that reads pages")
    llm_answer_model: str | None = Field(None, min_length=1, description="the model that writes answers")
    llm_timeout_s: Positive = Field(60, description="seconds one try of a request may take")
    llm_max_tries: int = Field(4, ge=1, le=20, description="tries of one request")
    llm_parallel_calls: int = Field(4, ge=1, le=1000, description="requests to models at a time, of this process")
    llm_prompt_tokens: int = Field(16_000, ge=1000, le=10**6, description="tokens of pages shown in one request")

    short_term_capacity: int = Field(10, ge=1, le=1000, description="pages in short-term memory")
    migration_batch: int = Field(5, ge=1, le=100, description="pages that migrate together")
    segment_max_pages: int = Field(200, ge=1, le=10_000, description="pages in one segment, then a new one")
    similarity_threshold: float = Field(0.6, gt=0, le=2, allow_inf_nan=False, description="score to join a segment")
    cosine_floor: float = Field(0.25, ge=-1, le=1, allow_inf_nan=False, description="least cosine to join a segment")
    mid_term_capacity: int = Field(2000, ge=0, description="unarchived segments; 0 is no limit")
    knowledge_capacity: int = Field(100, ge=0, description="current facts of each kind; 0 is no limit")
    heat_threshold: Positive = Field(5, description="heat from which a segment is promoted")
    alpha: Weight = Field(1, description="weight of visits in heat")
    beta: Weight = Field(1, description="weight of length in heat")
    gamma: Weight = Field(1, description="weight of recency in heat")
    heat_time_constant_s: Positive = Field(1e7, description="seconds in which recency falls to 1/e")
    promotion_min_pages: int = Field(3, ge=1, le=200, description="unread pages that make a segment due")
    promotion_max_wait_s: float = Field(86400, ge=0, allow_inf_nan=False, description="or one that waits this long")
    promotion_batch: int = Field(20, ge=1, le=200, description="pages shown in one promotion call")
    after_promotion: Literal["reset_l", "reset_n_and_l"] = Field(
        "reset_l", description="what counts anew once all pages of a segment are read: its length, or also its visits"
    )
    step_attempts: int = Field(5, ge=0, le=1000, description="failed tries until work is parked; 0 never parks")
    parked_retry_s: float = Field(
        3600, ge=0, allow_inf_nan=False, description="seconds until parked work is tried again"
    )
    llm_daily_calls: int = Field(0, ge=0, description="model calls of one user in one UTC day; 0 is no limit")
    llm_daily_tokens: int = Field(0, ge=0, description="tokens of one user in one UTC day; 0 is no limit")
    audit_reads: bool = Field(False, description="an event for each read of a user's texts, one write more")
    retention_runs_days: int = Field(90, ge=0, le=36_500, description="days that runs are kept; 0 keeps them")
    cypher_timeout_s: Positive = Field(10, description="seconds that a query of a user's own may take")
    worker_poll_s: Positive = Field(2, description="seconds between looks for work that other processes made due")

    @property
    def heat_weights(self) -> HeatWeights:
        """The weights of heat."""
        return HeatWeights(
            alpha=self.alpha, beta=self.beta, gamma=self.gamma, time_constant_s=self.heat_time_constant_s
        )

    @property
    def budget(self) -> Budget:
        """What a user's model calls may cost in a day."""
        return Budget(daily_calls=self.llm_daily_calls, daily_tokens=self.llm_daily_tokens)

    @model_validator(mode="before")
    @classmethod
    def _fill_profile(cls, given: Any) -> Any:
        # `given` holds what was set, in whatever way; the profile only fills what was not
        return {**PAPER, **given} if isinstance(given, dict) and given.get("profile") == "paper" else given

    @model_validator(mode="after")
    def _batch_fits(self) -> Settings:
        if self.migration_batch > self.short_term_capacity:
            raise ValueError("migration_batch must not be larger than short_term_capacity")
        return self

    @model_validator(mode="after")
    def _models_can_be_asked(self) -> Settings:
        if self.llm == "model" and self.llm_model is None:
            raise ValueError("llm_model must be set when llm is 'model'")
        if self.llm == "model" and self.llm_base_url is None and self.llm_api_key is None:
            raise ValueError("llm_base_url or llm_api_key must be set when llm is 'model'")
        used = {"embedding_base_url": self.embedding_base_url}
        if self.llm == "model":
            used["llm_base_url"] = self.llm_base_url
        for name, url in used.items():
            if url is not None and not url.startswith(("http://", "https://")):
                raise ValueError(f"{name} must begin with http:// or https://")
        return self


def load_settings(**given: Any) -> Settings:
    """Settings from the environment and from `given`, which wins.

    Raises SetupError (`bad_setting`) that names the setting: unknown names, values out of range, unreadable ones.
    """
    known = {variable for name in Settings.model_fields for variable in variables_of(name)}
    unknown = sorted(n for n in os.environ if n.startswith(PREFIX) and n not in known)
    if unknown:
        raise SetupError(f"unknown setting {unknown[0]}; known ones are in the README's table", code="bad_setting")
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except SettingsError as exc:
        raise SetupError("setting embedding_options: a JSON object is expected", code="bad_setting") from exc
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        name = ".".join(str(part) for part in first["loc"]) or "settings"
        raise SetupError(f"setting {name}: {first['msg']}", code="bad_setting") from exc


def variables_of(name: str) -> list[str]:
    """The environment variables of a setting, the first one first."""
    alias = Settings.model_fields[name].validation_alias
    if isinstance(alias, AliasChoices):
        return [str(choice) for choice in alias.choices if choice != name]
    return [PREFIX + name.upper()]
