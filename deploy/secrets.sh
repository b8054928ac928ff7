#!/bin/sh
# Make the secrets that compose.yaml names, each in a file, where there are none yet: sh deploy/secrets.sh NAME-OF-THE-SERVER
# The certificate vouches for itself. Put one that members' systems know in its place, with its key, or give members the file to name
# in SSL_CERT_FILE. The folder is closed to others; the files in it are not, since the users of the containers read them.
set -eu
name=${1:?name of the server, as members reach it}
folder=$(dirname "$0")/secrets
mkdir -m 700 -p "$folder"
cd "$folder"
umask 022
for secret in superuser_password owner_password serve_password metrics_token; do
  [ -e "$secret" ] || openssl rand -hex 32 > "$secret"
done
[ -e database ] || echo "postgresql://vade_serve:$(cat serve_password)@database/vade" > database
[ -e owner ] || echo "postgresql://vade_owner:$(cat owner_password)@database/vade" > owner
[ -e key ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
  -subj "/CN=$name" -addext "subjectAltName=DNS:$name" -keyout key -out certificate 2> openssl.log
chmod 644 key
