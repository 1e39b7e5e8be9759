import { createServer, type TLSSocket } from 'node:tls';
import {
  generate,
  type IConnectPacket,
  type IPublishPacket,
  type ISubscribePacket,
  type Packet,
  parser,
} from 'mqtt-packet';
import type { Certificate } from './certificate.ts';
import { createGate } from './gate.ts';

/** MQTT 3.1.1, 3.2.2.3 */
const NOT_AUTHORIZED = 5;

interface BrokerOptions {
  user: string;
  password: string;
  certificate: Certificate;
  onMessage(topic: string, text: string): void;
}

interface Client {
  send(packet: Packet): void;
  isAccepted: boolean;
  topics: Set<string>;
}

interface Handlers {
  subscribe(client: Client, packet: ISubscribePacket): void;
  publish(client: Client, packet: IPublishPacket): void;
  pingreq(client: Client): void;
}

/** The broker inside a printer: MQTT 3.1.1 over TLS, for clients with the access code, without wildcards. */
export async function startBroker({ user, password, certificate, onMessage }: BrokerOptions) {
  const clients = new Map<TLSSocket, Client>();

  function admit(client: Client, packet: IConnectPacket): void {
    client.isAccepted = packet.username === user && String(packet.password) === password;
    client.send({ cmd: 'connack', returnCode: client.isAccepted ? 0 : NOT_AUTHORIZED, sessionPresent: false });
  }

  const handlers: Handlers = {
    subscribe(client, { subscriptions, messageId }) {
      for (const { topic } of subscriptions) client.topics.add(topic);
      client.send({ cmd: 'suback', messageId: messageId ?? 0, granted: subscriptions.map(() => 0) });
    },
    publish(client, { topic, payload, qos, messageId }) {
      if (qos > 0) client.send({ cmd: 'puback', messageId: messageId ?? 0 });
      onMessage(topic, String(payload));
    },
    pingreq: (client) => client.send({ cmd: 'pingresp' }),
  };

  /** @returns whether the connection may continue */
  function handle(client: Client, packet: Packet): boolean {
    if (packet.cmd === 'connect') admit(client, packet);
    else if (client.isAccepted) handlers[packet.cmd as keyof Handlers]?.(client, packet as never);
    return client.isAccepted && packet.cmd !== 'disconnect';
  }

  const server = createServer(certificate, (socket) => {
    const client: Client = {
      send: (packet) => void socket.write(generate(packet)),
      isAccepted: false,
      topics: new Set(),
    };
    clients.set(socket, client);
    const packets = parser();
    packets.on('packet', (packet) => {
      if (!handle(client, packet)) socket.end();
    });
    packets.on('error', () => socket.destroy());
    socket.on('data', (chunk) => packets.parse(chunk));
    socket.on('error', () => undefined);
    socket.once('close', () => clients.delete(socket));
  });
  const gate = await createGate(server);
  return {
    gate,
    renew: (next: Certificate) => server.setSecureContext(next),
    publish(topic: string, payload: string): void {
      for (const { topics, send } of clients.values()) {
        if (topics.has(topic)) send({ cmd: 'publish', topic, payload, qos: 0, dup: false, retain: false });
      }
    },
  };
}
