#!/bin/sh
# Starts n8n with the Farmboard nodes, a credential and the workflows of this folder, and publishes the first one. It needs
# the command n8n, and in TOKEN an access token of the Farmboard at FARMBOARD_URL. n8n keeps its data in data/n8n.
set -eu
: "${TOKEN:?an access token of Farmboard}"
cd "$(dirname "$0")/../.."
export N8N_USER_FOLDER="${N8N_USER_FOLDER:-$PWD/data/n8n}"
export WORKSHOP_KEY="${WORKSHOP_KEY:-a key of your workshop}" FARMBOARD_URL="${FARMBOARD_URL:-http://localhost:3000/api/v1}"

if [ ! -e "$N8N_USER_FOLDER/.n8n/nodes/node_modules/n8n-nodes-farmboard" ]; then
  nodes=$N8N_USER_FOLDER/.n8n/nodes
  mkdir -p "$nodes"
  echo '{ "private": true }' >"$nodes/package.json"
  package=${FARMBOARD_N8N_PACKAGE:-$(npm run --silent pack:n8n | tail -n 1)}
  # as n8n itself installs community nodes: without the peer n8n-workflow, which is its own
  (cd "$nodes" && npm install --legacy-peer-deps --ignore-scripts "$package")

  (
    umask 077
    node -p 'JSON.stringify([
      { id: "farmboard", name: "Farmboard account", type: "farmboardApi",
        data: { baseUrl: process.env.FARMBOARD_URL, accessToken: process.env.TOKEN } },
      { id: "workshop", name: "Workshop key", type: "httpHeaderAuth",
        data: { name: "X-Workshop-Key", value: process.env.WORKSHOP_KEY } },
    ])' >"$N8N_USER_FOLDER/credentials.json"
  )
  n8n import:credentials --input="$N8N_USER_FOLDER/credentials.json"
  rm "$N8N_USER_FOLDER/credentials.json"
  n8n import:workflow --separate --input=examples/n8n
  n8n publish:workflow --id="$(n8n list:workflow | grep -i 'label scan' | cut -d'|' -f1)"
fi
exec n8n start
