<?php
// Receives Farmboard's webhooks, checks each signature and logs each event. It needs nothing but PHP, and is meant to be
// copied: WEBHOOK_SECRET is the secret that creating the channel answered. To try it: php -S 127.0.0.1:8000 receiver.php
const MAX_BYTES = 1_000_000;

/** The signature covers the raw bytes: check it before anything is parsed. */
function isGenuine(string $secret, string $rawBody, string $header): bool
{
    return hash_equals('sha256=' . hash_hmac('sha256', $rawBody, $secret), $header);
}

function receive(string $secret): int
{
    if ($secret === '') {
        error_log('Set WEBHOOK_SECRET to the secret of the webhook channel');
        return 500;
    }
    if ($_SERVER['REQUEST_METHOD'] !== 'POST') {
        return 405;
    }
    $rawBody = file_get_contents('php://input', length: MAX_BYTES + 1);
    if (strlen($rawBody) > MAX_BYTES) {
        return 413;
    }
    if (!isGenuine($secret, $rawBody, $_SERVER['HTTP_X_SVC_SIGNATURE'] ?? '')) {
        error_log('refused: the signature is not of this secret');
        return 401;
    }
    $event = json_decode($rawBody, true, flags: JSON_THROW_ON_ERROR);
    $data = json_encode($event['data'], JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES);
    error_log("{$event['occurred_at']} #{$_SERVER['HTTP_X_SVC_SEQUENCE']} {$event['event']} $data");
    return 204;
}

http_response_code(receive(getenv('WEBHOOK_SECRET') ?: ''));
