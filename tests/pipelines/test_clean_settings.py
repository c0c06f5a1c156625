import secrets

import orjson

from pipelines.clean_settings import clean_seed_tasks, clean_settings
from schemas.settings import Settings
from transforms.redaction.engine import Redactor
from transforms.selecting.seeds import SeedTask


def _settings(**sections: object) -> Settings:
    tree = {"lake": {"root": "/lake"}, "store": "/store", **sections}
    return Settings.model_validate_json(orjson.dumps(tree))


def test_settings_without_secrets_are_the_same_object():
    settings = _settings(identity={"task_aliases": {"a": "b"}}, export={"rl_data_source": "lake"})
    assert clean_settings(settings) is settings


def test_names_lose_their_secrets_and_reading_keeps_its_fields():
    token = "gh" + "p_" + secrets.token_hex(18)
    settings = _settings(
        identity={"task_aliases": {f"task-{token}": token}},
        ingest={"redaction": {"allow": ["nothing"]}, "fields": {"reward": [token]}},
    )
    cleaned = clean_settings(settings)
    assert cleaned.identity.task_aliases == {"task-<GITHUB_TOKEN_1>": "<GITHUB_TOKEN_1>"}
    assert cleaned.ingest == settings.ingest
    assert cleaned.export is settings.export
    off = _settings(identity={"task_aliases": {"a": token}}, ingest={"redaction": {"enabled": False}})
    assert clean_settings(off) is off


def test_seed_tasks_lose_their_secrets_in_every_field():
    tokens = ["gh" + "p_" + secrets.token_hex(18) for _ in range(5)]
    task = SeedTask(tokens[0], f"use {tokens[1]}", tokens[2], orjson.dumps({tokens[3]: [tokens[4], 1]}).decode())
    clean = clean_seed_tasks([task, SeedTask("a", "b", "c", '{"x":1}')], Redactor())
    name = "<GITHUB_TOKEN_1>"
    assert clean == (
        SeedTask(name, f"use {name}", name, f'{{"{name}":["{name}",1]}}'),
        SeedTask("a", "b", "c", '{"x":1}'),
    )
