"""Tokens in the forms that vendors publish for them, beyond those in `rules`: by the kind of service.

A prefix that words of code end in has a boundary on its left, and one too short to stand alone an `accept`. A form
that begins with any letters has a `trigger` of its rarest part, so that the one pass meets it as seldom as the token.
"""

from typing import Final

from transforms.redaction.rule import LEFT, LEFT_OF_NAME, LEFT_OF_RUN, Rule, context, fixed
from transforms.redaction.values import is_noise, is_opaque, is_random

_UUID: Final = r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def _is_join_token(value: bytes, following: bytes) -> bool:
    """Say whether a cluster's token, of which a word before it tells, is random behind its dot and ends there."""
    is_whole = not following.isalnum() and following not in (b".", b"-", b"_")
    return is_whole and is_random(value.partition(b".")[2], b"")


def _is_whole_opaque(value: bytes, following: bytes) -> bool:
    """Say whether a token of one length ends where it must and is random."""
    return not following.isalnum() and following != b"_" and is_opaque(value, following)


_CLOUDS = (
    fixed("AWS_KEY", r"bedrock-api-key-[A-Za-z0-9+/=]{60,}"),
    fixed("AMAZON_TOKEN", r"Atz[ar]\|[A-Za-z0-9_+/=-]{60,}"),
    fixed("AMAZON_TOKEN", r"amzn1\.oa2-cs\.v1\.[0-9a-f]{64}"),
    fixed("AMAZON_TOKEN", r"amzn\.mws\." + _UUID),
    fixed("GOOGLE_KEY", LEFT + r"(1//0[A-Za-z0-9_-]{36,})"),
    fixed("GOOGLE_KEY", LEFT + r"(4/0A[A-Za-z0-9_-]{50,})"),
    fixed("GOOGLE_KEY", r"AQ\.Ab8[A-Za-z0-9_-]{40,}"),
    fixed("GOOGLE_KEY", r"AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{100,}"),
    Rule("AZURE_KEY", r"[A-Za-z0-9]{40,60}JQQJ99[A-Za-z0-9]{16,30}", trigger=r"JQQJ99"),
    Rule(
        "AZURE_KEY", r"[A-Za-z0-9+/]{76}(?:\+ASt|ACDb)[A-Za-z0-9+/]{6}==", trigger=r"(?:\+ASt|ACDb)[A-Za-z0-9+/]{6}=="
    ),
    Rule(
        "AZURE_KEY",
        r"[A-Za-z0-9+/]{33}(?:\+A(?:Sb|Eh|Rm|CR)|A(?:IoT|PIM|zCa))[A-Za-z0-9+/]{5,6}=",
        trigger=r"(?:\+A(?:Sb|Eh|Rm|CR)|A(?:IoT|PIM|zCa))[A-Za-z0-9+/]{5,6}=",
    ),
    Rule("AZURE_KEY", r"[A-Za-z0-9_-]{42,44}AzFu[A-Za-z0-9_-]{4,6}={0,2}", trigger=r"AzFu"),
    Rule("AZURE_KEY", r"[A-Za-z0-9]{42}AzSe[A-Za-z0-9]{6}", trigger=r"AzSe[A-Za-z0-9]{6}"),
    fixed("TENCENT_KEY", LEFT + r"(AKID[A-Za-z0-9]{32,36})"),
    fixed("YANDEX_KEY", r"AQVN[A-Za-z0-9_-]{35,38}"),
    fixed("YANDEX_KEY", LEFT_OF_RUN + r"(YC[AN][A-Za-z0-9_-]{36,40})", accept=is_random),
    fixed("YANDEX_KEY", LEFT + r"(t1\.[A-Za-z0-9_-]{3,}=*\.[A-Za-z0-9_-]{86})"),
    fixed("YANDEX_KEY", LEFT + r"(y[0-3]_[A-Za-z0-9_-]{50,60})", accept=is_random),
    fixed("FLY_TOKEN", r"fm[12][a-z]?_[A-Za-z0-9+/=_-]{60,}"),
    fixed("FLY_TOKEN", LEFT + r"(fo1_[A-Za-z0-9_-]{40,})"),
    fixed("VERCEL_TOKEN", r"vercel_blob_rw_[A-Za-z0-9]{8,}_[A-Za-z0-9]{20,}"),
    fixed("CLOUDFLARE_KEY", LEFT + r"(v1\.0-[0-9a-f]{24}-[0-9a-f]{146})"),
    fixed("CLOUDFLARE_KEY", r"eyJhIjoi[A-Za-z0-9+/_=-]{100,}"),
    fixed("CONFLUENT_KEY", LEFT + r"(cflt[A-Za-z0-9+/]{60})"),
    fixed("AIVEN_PASSWORD", r"AVNS_[A-Za-z0-9_-]{19}"),
    fixed("DATABRICKS_TOKEN", LEFT + r"(d(?:ose|kea|sapi)[0-9a-f]{32})"),
    fixed("CHROMA_KEY", LEFT + r"(ck-[A-Za-z0-9]{40,})", accept=is_random),
    fixed("FAUNA_KEY", LEFT_OF_RUN + r"(fnA[A-Za-z0-9_-]{37,})", accept=is_random),
    fixed("APPWRITE_KEY", r"standard_[0-9a-f]{200,}"),
    fixed("CONVEX_KEY", LEFT + r"((?:prod|dev|preview):[a-z]+-[a-z]+-[0-9]{1,4}\|[A-Za-z0-9+/=_-]{40,})"),
    fixed("BACKBLAZE_KEY", LEFT_OF_RUN + r"(K00[0-9][A-Za-z0-9/+]{27})", accept=is_random),
    fixed("DROPBOX_TOKEN", LEFT + r"(sl\.(?:u\.)?[A-Za-z0-9_-]{100,})"),
)

_CLUSTERS = (
    context(
        "KUBEADM_TOKEN",
        r"(?i:token|kubeadm|bootstrap|discovery)[^\n\x00]{0,60}?[^A-Za-z0-9\x00._-]([a-z0-9]{6}\.[a-z0-9]{16})",
        accept=_is_join_token,
    ),
    fixed("K3S_TOKEN", r"K10[0-9a-f]{64}::[a-z0-9-]+:[A-Za-z0-9]{16,}"),
    fixed("BOUNDARY_TOKEN", LEFT + r"(at_[A-Za-z0-9]{10}_[A-Za-z0-9]{40,})"),
    fixed("INFISICAL_TOKEN", LEFT + r"(st\.[0-9a-f-]{24,36}\.[0-9a-f]{32}\.[0-9a-f]{32})"),
    fixed("ONEPASSWORD_TOKEN", r"ops_eyJ[A-Za-z0-9_=-]{100,}"),
    fixed("AGE_KEY", r"AGE-PLUGIN-[A-Z0-9]+-1[A-Z0-9]{30,}"),
    fixed("MINISIGN_KEY", r"RWRTY0Iy[A-Za-z0-9+/]{100,}={0,2}"),
    fixed("NOSTR_KEY", r"nsec1[a-z0-9]{58}"),
    fixed("STELLAR_KEY", LEFT_OF_RUN + r"(S[A-D][A-Z2-7]{54})", accept=_is_whole_opaque),
)

_FORGES = (
    fixed("BITBUCKET_PASSWORD", r"ATBB[A-Za-z0-9]{28,36}", accept=is_noise),
    fixed("TRELLO_TOKEN", r"ATTA[0-9a-f]{64}"),
    fixed("SOURCEGRAPH_TOKEN", LEFT + r"(slk_[0-9a-f]{64})"),
    fixed("PHABRICATOR_TOKEN", LEFT_OF_NAME + r"((?:api|cli)-[a-z0-9]{28})", accept=is_random),
    fixed("YOUTRACK_TOKEN", r"perm[:-][A-Za-z0-9+/=]{4,}\.[A-Za-z0-9+/=-]{4,}\.[A-Za-z0-9]{28,}"),
    fixed("CHROMATIC_TOKEN", r"chp[tcr]_[a-z0-9]{12,}"),
    fixed("PERCY_TOKEN", LEFT + r"((?:web|app|auto|ss|vmw|res)_[0-9a-f]{64})"),
    fixed("SNYK_TOKEN", r"snyk_(?:uat|sat)\.[a-z0-9]{8}\.[A-Za-z0-9._-]{40,}"),
    fixed("SOCKET_KEY", r"sktsec_[A-Za-z0-9_-]{40,}"),
    fixed("STACKHAWK_KEY", r"hawk\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}"),
    fixed("PACKAGIST_TOKEN", r"packagist_[a-z]{3}_[0-9a-f]{60,}"),
    fixed("OPENVSX_TOKEN", r"ovsx(?:p|at)_[A-Za-z0-9-]{32,}"),
    fixed("DBT_TOKEN", r"dbt[cus]_[A-Za-z0-9_=-]{40,}"),
    fixed("KAGGLE_KEY", r"KGAT_[0-9a-f]{32}"),
    fixed("VALTOWN_TOKEN", r"vtwn_[A-Za-z0-9]{27,}"),
    fixed("TOLGEE_TOKEN", r"tgp(?:ak|at)_[a-z0-9]{40,}"),
    fixed("INNGEST_KEY", r"signkey-[a-z]+-[0-9a-f]{32,}"),
)

_AI_HOSTS = (
    fixed("ELEVENLABS_KEY", LEFT + r"(sk_[0-9a-f]{48})"),
    fixed("RUNWAY_KEY", LEFT_OF_NAME + r"(key_[0-9a-f]{100,})"),
    fixed("CURSOR_KEY", r"crsr_[0-9a-f]{60,}"),
    fixed("LUMA_KEY", r"luma-" + _UUID + r"(?:-" + _UUID + r")?"),
    fixed("MODAL_TOKEN", LEFT + r"(a[ks]-[A-Za-z0-9]{22})", accept=is_noise),
    fixed("LAMBDA_KEY", r"secret_[a-z0-9-]+_[0-9a-f]{32}\.[A-Za-z0-9]{32}"),
    fixed("COREWEAVE_KEY", r"CW-SECRET-[A-Za-z0-9]{40,}"),
    fixed("JINA_KEY", r"jina_[0-9a-f]{32}[A-Za-z0-9_-]{20,}"),
    fixed("VOYAGE_KEY", LEFT_OF_NAME + r"((?:pa|nk)-[A-Za-z0-9_-]{43})", accept=is_noise),
    fixed("LANGSMITH_KEY", LEFT + r"(ls__[0-9a-f]{32})"),
    fixed("PROMPTLAYER_KEY", LEFT + r"(pl_[0-9a-f]{32})"),
    fixed("E2B_KEY", r"e2b_[0-9a-f]{40}"),
    fixed("FIRECRAWL_KEY", LEFT + r"(fc-[0-9a-f]{32})"),
    fixed("BRAVE_KEY", LEFT_OF_RUN + r"(BSA[A-Za-z0-9_-]{26,29})", accept=is_random),
    fixed("BROWSERBASE_KEY", r"bb_(?:live|test)_[A-Za-z0-9_-]{24,}"),
    fixed("DAYTONA_KEY", r"dtn_[0-9a-f]{60,}"),
    fixed("MEM0_KEY", LEFT + r"(m0-[A-Za-z0-9]{36,})", accept=is_random),
    fixed("ANYSCALE_KEY", LEFT + r"(aph0_[A-Za-z0-9_-]{30,})"),
    fixed("VZERO_KEY", LEFT + r"(v1:[A-Za-z0-9]{24}:[A-Za-z0-9]{24})", accept=is_random),
    fixed("CONTEXT7_KEY", r"ctx7sk-[0-9a-f-]{36}"),
    fixed("ROBOFLOW_KEY", LEFT + r"(rf_[A-Za-z0-9]{20,})", accept=is_noise),
    Rule("DEEPL_KEY", LEFT + r"(" + _UUID + r":fx)", trigger=r"-[0-9a-f]{12}:fx"),
    fixed("STATSIG_KEY", r"(?:secret|console)-[A-Za-z0-9]{40,}", accept=is_random),
    fixed("OPENAI_KEY", r"sess-[A-Za-z0-9]{40}"),
)

_CHAT_AND_MAIL = (
    fixed("MATRIX_TOKEN", r"syt_[A-Za-z0-9+/=_-]{4,}_[A-Za-z0-9]{20}_[A-Za-z0-9]{6}"),
    fixed("MATRIX_TOKEN", LEFT + r"(m[ac]t_[A-Za-z0-9]{20,}_[A-Za-z0-9]{6})"),
    fixed("INTERCOM_TOKEN", r"dG9rOj[A-Za-z0-9+/]{40,}={0,2}"),
    fixed("TELNYX_KEY", r"KEY[0-9A-F]{32}_[A-Za-z0-9]{20,}"),
    fixed("PUSHBULLET_TOKEN", LEFT + r"(o\.[A-Za-z0-9]{32})", accept=is_noise),
    fixed("ONESIGNAL_KEY", r"os_v2_[a-z]{3}_[a-z0-9]{80,}"),
    fixed("PUBNUB_KEY", r"sec-c-[A-Za-z0-9=-]{36,}"),
    Rule(
        "MAILGUN_KEY",
        LEFT_OF_NAME + r"([0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})",
        trigger=r"[0-9a-f]{8}-[0-9a-f]{8}-[0-9a-f]{8}",
    ),
    fixed("MANDRILL_KEY", LEFT_OF_NAME + r"(md-[A-Za-z0-9_-]{22})", accept=is_random),
    fixed("MAILERSEND_KEY", r"mssp\.[A-Za-z0-9]{7}\.[A-Za-z0-9]{12,}\.[A-Za-z0-9]{7}"),
    fixed("KLAVIYO_KEY", LEFT + r"(pk_[0-9a-f]{34})"),
    fixed("KIT_KEY", LEFT + r"(kit_[0-9a-f]{32})"),
    fixed("NYLAS_KEY", r"nyk_v0_[A-Za-z0-9]{60,}"),
    fixed("SMTP2GO_KEY", LEFT_OF_NAME + r"(api-[0-9A-F]{32})", accept=is_random),
    fixed("TWITTER_TOKEN", r"A{19}[A-Za-z0-9%]{20,}(?:%[23][BDFbdf]|=)[A-Za-z0-9%]{30,}"),
    fixed("TWITCH_TOKEN", r"oauth:[a-z0-9]{30}"),
    fixed("LINKEDIN_TOKEN", LEFT_OF_RUN + r"(AQ[UVWXY][A-Za-z0-9_-]{150,})", accept=is_random),
    fixed("LINKEDIN_SECRET", r"WPL_AP[01]\.[A-Za-z0-9+/.]{16,}={0,2}"),
    fixed("TIKTOK_TOKEN", LEFT + r"((?:act|rft)\.[A-Za-z0-9!*%.-]{50,})", accept=is_random),
    fixed("INSTAGRAM_TOKEN", LEFT_OF_RUN + r"(IG(?:QV|AA)[A-Za-z0-9_-]{80,})"),
    fixed("SPOTIFY_TOKEN", LEFT_OF_RUN + r"(BQ[A-D][A-Za-z0-9_-]{100,})", accept=is_random),
    fixed("SALESFORCE_TOKEN", LEFT + r"(00D[A-Za-z0-9]{12,15}!A[A-Za-z0-9_.]{70,})"),
    fixed("SALESFORCE_TOKEN", r"5Aep861[A-Za-z0-9_.]{60,}"),
)

_PAYMENTS = (
    fixed("SQUARE_TOKEN", LEFT + r"(EAAA[A-Za-z0-9_-]{59,61})", accept=is_opaque),
    fixed("BRAINTREE_TOKEN", r"access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[0-9a-f]{32}"),
    fixed("ADYEN_KEY", r"AQE[A-Za-z0-9]hmf[A-Za-z0-9+/=_-]{60,}"),
    fixed("PLAID_TOKEN", r"(?:access|link|public|processor)-(?:sandbox|development|production)-" + _UUID),
    fixed("FLUTTERWAVE_KEY", r"FLWSECK(?:_[A-Z]{4})?-[A-Za-z0-9]{12,}(?:-[A-Za-z0-9]{1,20})?"),
    fixed("MOLLIE_KEY", LEFT_OF_NAME + r"((?:live|test|access|org)_[A-Za-z0-9]{30,})", accept=is_noise),
    fixed("GOCARDLESS_KEY", LEFT_OF_NAME + r"((?:live|sandbox)_[A-Za-z0-9_-]{40})", accept=is_opaque),
    fixed("CHECKOUT_KEY", LEFT + r"(sk_(?:sbox_)?[a-z0-9]{26,27}[a-z0-9*#$=]?)", accept=is_random),
    fixed("CHECKOUT_KEY", LEFT + r"(sk_(?:test_)?" + _UUID + r")"),
    fixed("MERCADOPAGO_TOKEN", r"(?:APP_USR|TEST)-[0-9]{10,}-[0-9]{4,8}-[0-9a-f]{32}(?:-[0-9]+)?"),
    fixed("ARCGIS_KEY", r"AAP[KT][A-Za-z0-9_-]{60,}", accept=is_random),
    fixed("ALCHEMY_KEY", LEFT + r"(alc(?:ht|my)_[A-Za-z0-9]{30,})"),
    fixed("QUICKNODE_KEY", r"QN_[0-9a-f]{32}"),
    fixed("BLOCKFROST_KEY", LEFT + r"((?:mainnet|preprod|preview|ipfs)[A-Za-z0-9]{32})", accept=is_noise),
    fixed("COVALENT_KEY", LEFT + r"((?:cqt|ckey)_[A-Za-z0-9]{27,})", accept=is_random),
    Rule(
        "RAPIDAPI_KEY",
        r"[0-9a-f]{10}msh[0-9a-f]{15}p1[0-9a-f]{5}jsn[0-9a-f]{12}",
        trigger=r"msh[0-9a-f]{15}p1[0-9a-f]{5}jsn[0-9a-f]{12}",
    ),
    fixed("RIOT_KEY", r"RGAPI-" + _UUID),
    fixed("PLANET_KEY", r"PLAK[0-9a-f]{32}"),
    fixed("EBAY_KEY", r"(?:PRD|SBX)-[0-9a-f]{10,12}(?:-[0-9a-f]{4}){2,4}-?[0-9a-f]{0,12}"),
    fixed("EBAY_TOKEN", LEFT + r"(v\^1\.1#i\^1#[A-Za-z0-9^#+/=]{60,})"),
    fixed("ROBLOX_COOKIE", r"\|_[0-9A-F]{200,}"),
)

_PLATFORMS = (
    fixed("NEW_RELIC_KEY", LEFT + r"(NR(?:II|IQ|AA|SP)-[A-Za-z0-9_-]{27,32})", accept=is_random),
    fixed("NEW_RELIC_KEY", LEFT + r"(NRRA-[0-9a-f]{42})"),
    fixed("NEW_RELIC_KEY", LEFT + r"(NRJS-[0-9a-f]{19})"),
    Rule("NEW_RELIC_KEY", r"[0-9a-f]{36}(?:NRAL|FFFFNRAL)", trigger=r"NRAL"),
    fixed("NEW_RELIC_KEY", r"eu01xx[0-9a-f]{30}(?:NRAL)?"),
    fixed("HONEYCOMB_KEY", r"hc[abx][a-z]k_[a-z0-9]{40,}"),
    fixed("DYNATRACE_TOKEN", r"dt0s[0-9]{2}\.[A-Z0-9]{8}\.[A-Z0-9]{64}"),
    fixed("AXIOM_TOKEN", r"xa(?:a|p)t-" + _UUID),
    fixed("CHECKLY_KEY", LEFT + r"(cu_[0-9a-f]{32})"),
    fixed("CORALOGIX_KEY", LEFT + r"(cx(?:tp|up|ol|yp)_[A-Za-z0-9]{30,})"),
    fixed("LAUNCHDARKLY_KEY", LEFT_OF_NAME + r"((?:sdk|mob|api)-" + _UUID + r")"),
    Rule(
        "UNLEASH_TOKEN",
        r"[a-z0-9*_-]+:(?:dev|prod|test|development|production|staging|default)\.[0-9a-f]{56,64}",
        trigger=r"(?:dev|prod|test|development|production|staging|default)\.[0-9a-f]{56}",
    ),
    fixed("FLAGSMITH_KEY", LEFT + r"(ser\.[A-Za-z0-9]{22})", accept=is_noise),
    fixed("GROWTHBOOK_KEY", r"secret_(?:admin|user|readonly)_[A-Za-z0-9]{30,}"),
    fixed("SANITY_TOKEN", LEFT_OF_RUN + r"(sk[A-Za-z0-9]{150,})", accept=is_noise),
    fixed("BUILDER_KEY", r"bpk-[0-9a-f]{32}"),
    fixed("AIRTABLE_KEY", LEFT_OF_NAME + r"(key[A-Za-z0-9]{14})", accept=_is_whole_opaque),
    fixed("ADOBE_SECRET", LEFT + r"([ps]8e-[A-Za-z0-9_-]{32})", accept=is_random),
    Rule(
        "ASANA_TOKEN", LEFT + r"([0-9]/[0-9]{12,19}(?:/[0-9]{12,19})?:[0-9a-f]{32})", trigger=r"[0-9]{12}:[0-9a-f]{32}"
    ),
    fixed("CLICKUP_KEY", r"pk_[0-9]{5,10}_[A-Z0-9]{32}"),
    fixed("HUBSPOT_KEY", r"pat-[a-z]{2}[0-9]-" + _UUID),
    fixed("STYTCH_SECRET", r"secret-(?:live|test)-[A-Za-z0-9_=-]{30,}"),
    fixed("ONFIDO_TOKEN", r"api_(?:live|sandbox)(?:_[a-z]{2})?\.[A-Za-z0-9_-]{11}\.[A-Za-z0-9_-]{32}"),
    fixed("DNSIMPLE_TOKEN", r"dnsimple_[ua]_[A-Za-z0-9]{30,}"),
    fixed("PORKBUN_KEY", LEFT + r"([sp]k1_[0-9a-f]{64})"),
    fixed("LIVEBLOCKS_KEY", r"sk_(?:prod|dev)_[A-Za-z0-9_-]{50,}"),
    fixed("UBIDOTS_TOKEN", r"BB(?:FF|US)-[A-Za-z0-9]{30}"),
    fixed("ADAFRUIT_KEY", LEFT + r"(aio_[A-Za-z0-9]{28})"),
    fixed("CENSYS_KEY", r"censys_[A-Za-z0-9]{8}_[A-Za-z0-9]{24,}"),
    fixed("WARP_KEY", LEFT + r"(wk-[0-9]\.[0-9a-f]{60,})"),
    fixed("PIPEDREAM_KEY", LEFT + r"(pd_[0-9a-f]{32})"),
    fixed("SHOPIFY_TOKEN", r"shp(?:tka|ltt|rt|lka)_[0-9a-fA-F]{32}"),
    fixed("LOGFIRE_TOKEN", r"pylf_v[0-9]_[a-z]{2}_[A-Za-z0-9]{30,}"),
)

VENDOR_FORMS: Final[tuple[Rule, ...]] = (
    *_CLOUDS,
    *_CLUSTERS,
    *_FORGES,
    *_AI_HOSTS,
    *_CHAT_AND_MAIL,
    *_PAYMENTS,
    *_PLATFORMS,
)
