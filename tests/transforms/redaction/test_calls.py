import pytest

from tests.rule_examples import draw_examples
from transforms.redaction.engine import Redactor


@pytest.mark.parametrize(
    "text",
    [
        'hmac.new(b"{h64}", msg, hashlib.sha256)',
        "crypto.createHmac('sha256', '{h40}').update(body)",
        "OpenSSL::HMAC.hexdigest(OpenSSL::Digest.new('sha256'), '{h64}', body)",
        'mac.init(new SecretKeySpec("{h64}".getBytes(), "HmacSHA256"));',
        "createCipheriv('aes-256-gcm', Buffer.from('{h64}', 'hex'), iv)",
        'block, err := aes.NewCipher([]byte("{a32}"))',
        'jwt.encode({"sub": "x"}, "{h64}", algorithm="HS256")',
        'sessions.NewCookieStore([]byte("{h64}"))',
        'URLSafeTimedSerializer("{a40}")',
        "verify_webhook(body, '{h64}')",
        'AESGCM(base64.b64decode("{a42}7="))',
        'key = bytes.fromhex("{h64}")',
        'byte[] key = Convert.FromBase64String("{a42}7=");',
        "slack.New('{a40}7')",
        'bot.run("{a40}7")',
        'WiFi.begin(ssid, "harbor-{a12}7");',
        'wlan.connect("guest", "harbor-{a12}7")',
        "VALUES ('app', crypt('{a16}77', gen_salt('bf')));",
        'credentials += Credentials("Realm", "db-02.internal", "app", "harbor-{a12}7")',
        "keyring.set_password('app', 'user', 'harbor-{a12}7')",
        "User.objects.create_user('app', 'app@host.internal', 'harbor-{a12}7')",
        'bcrypt.hashpw(b"harbor-{a12}7", bcrypt.gensalt())',
        'snprintf(cfg.password, 64, "%s", "harbor-{a12}7");',
        'passwordField.setText("harbor-{a12}7");',
        'new NetworkCredential("app", "harbor-{a12}7", "CORP")',
    ],
)
def test_the_key_of_a_call_that_speaks_of_one_is_found(text):
    for line, last in draw_examples(text, 10):
        assert last not in Redactor().redact_text(line)


@pytest.mark.parametrize(
    "text",
    [
        "hmac.new(settings.webhook_key, body, hashlib.sha256).hexdigest()",
        "crypto.createCipheriv('chacha20-poly1305', key, nonce)",
        'Cipher.getInstance("AES/CBC/PKCS5Padding")',
        'SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")',
        "serializer = URLSafeTimedSerializer(app.config['SIGNING'])",
        'client = Client("https://collector.internal:4317/v1/traces")',
        'client = Client("default-service-account-name-2024")',
        'WiFi.config("192.168.40.12", "255.255.255.0")',
        'login("app", "gateway-2.internal:8080")',
        "const data = Buffer.from('the quick brown fox', 'utf8')",
        "webhook.register('/api/v1/repositories/hooks')",
    ],
)
def test_a_call_that_is_given_no_key_stands(text):
    assert Redactor().redact_text(text) == text


def test_of_four_arguments_of_credentials_the_host_stands():
    text = 'Credentials("Realm", "db-02.internal", "app", "{}")'
    assert Redactor().redact_text(text.format("harbor7-" + "lantern-22")) == text.format("<PASSWORD_1>")
