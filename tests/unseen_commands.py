"""Commands, statements and calls that hold a password by its place in them, one a line: `~v` is the password."""

from typing import Final

COMMANDS: Final = r"""
curl -u u:~v h
curl --user 'u:~v' h
curl -su u:~v h
wget --user=u --password=~v h
http -a u:~v h
sshpass -p ~v ssh h
sshpass -p'~v' ssh h
mysql -uroot -p~v d
mysql -h h -u u --password='~v'
PGPASSWORD=~v psql
PGPASSWORD='~v' pg_dump d
redis-cli -a ~v ping
redis-cli -h h -a '~v'
mongo -u u -p ~v h
mongosh --username u --password ~v
docker login -u u -p ~v r
docker login -u u --password ~v r
podman login -u=u -p=~v r
helm registry login r -u u -p ~v
az login -u u -p ~v
az login --service-principal -u a -p ~v --tenant t
htpasswd -b -c f u ~v
htpasswd -nb u ~v
openssl enc -aes-256-cbc -k ~v
openssl rsa -in k -passin pass:~v
openssl aes-256-cbc -pass pass:~v -in a
gpg --batch --passphrase ~v -d f
zip -P ~v a.zip b
unzip -P ~v a.zip
7z x -p~v a.7z
ssh-keygen -N '~v' -f k
ssh-keygen -t rsa -N ~v -f k
echo ~v | sudo -S ls
echo 'u:~v' | chpasswd
echo '~v' | passwd --stdin u
net use \\h\s ~v /user:u
net user u ~v /add
ldapsearch -D cn=a -w ~v
ldapwhoami -x -w '~v'
smbclient //h/s -U u%~v
mount -t cifs -o username=u,password=~v //h/s /m
xfreerdp /u:u /p:~v /v:h
rclone config create r s3 secret_access_key ~v
mc alias set m https://h u ~v
influx -username u -password ~v
sqlcmd -S h -U sa -P ~v
sqlcmd -S h -U sa -P '~v' -Q x
bcp t out f -U sa -P ~v
impacket-psexec u:~v@h
evil-winrm -i h -u u -p ~v
crackmapexec smb h -u u -p '~v'
hydra -l u -p ~v ssh://h
twine upload -u __token__ -p ~v d/*
npm login --auth ~v
gh auth login --with-token <<< ~v
keytool -storepass ~v -list
keytool -keypass ~v -list
jarsigner -storepass ~v a.jar x
snowsql -a a -u u -p ~v
cqlsh -u u -p ~v
svn co h --username u --password ~v
kinit u <<< ~v
printf '~v\n' | kinit u
mutt -e 'set smtp_pass="~v"'
openvpn --auth-user-pass <(echo u; echo ~v)
lftp -u u,~v h
ftp> quote PASS ~v
< PASS ~v
AUTH LOGIN u ~v
1 LOGIN u ~v
a1 login u "~v"
AUTH PLAIN ~v
auth u ~v
""".strip("\n").split("\n")
SQL: Final = r"""
CREATE USER u WITH PASSWORD '~v';
CREATE ROLE u LOGIN ENCRYPTED PASSWORD '~v';
ALTER USER u IDENTIFIED BY '~v';
ALTER USER 'u'@'%' IDENTIFIED WITH mysql_native_password BY '~v';
SET PASSWORD FOR 'u' = PASSWORD('~v');
CREATE LOGIN u WITH PASSWORD = '~v';
CREATE USER u PASSWORD = '~v';
GRANT ALL ON *.* TO u IDENTIFIED BY '~v';
CREATE USER u IDENTIFIED BY ~v;
ALTER USER u IDENTIFIED BY "~v";
db.createUser({user:'u',pwd:'~v',roles:[]})
db.auth('u', '~v')
db.auth("u","~v")
ACL SETUSER u on >~v
CONFIG SET requirepass ~v
127.0.0.1:6379> AUTH u ~v
pg_connect("host=h password=~v")
mysqli_connect('h', 'u', '~v', 'd')
new mysqli("h", "u", "~v", "d");
DriverManager.getConnection(url, "u", "~v")
new PDO($dsn, 'u', '~v')
cx_Oracle.connect('u', '~v', 'h/x')
smtp.login('u', '~v')
server.login("u@x", "~v")
HTTPBasicAuth('u', '~v')
auth=('u', '~v')
auth=HTTPDigestAuth("u", "~v")
BasicAuth(login="u", password="~v")
req.SetBasicAuth("u", "~v")
new NetworkCredential("u", "~v")
ssh.connect('h', username='u', password='~v')
basic_auth('u', '~v')
http_basic_authenticate_with name: 'u', password: '~v'
UsernamePasswordCredentials("u", "~v")
ConvertTo-SecureString '~v' -AsPlainText -Force
ConvertTo-SecureString -String "~v" -AsPlainText
auth: { user: 'u', pass: '~v' }
auth: {username: 'u', password: '~v'}
Credentials('u', '~v')
""".strip("\n").split("\n")
