import type { AttemptOutcome } from '../../backend/src/webhooks/delivery/attempt.ts';
import type { OutgoingRequest, Sender } from '../../backend/src/webhooks/delivery/sender.ts';

export const SUCCESS: AttemptOutcome = { status: 'succeeded', responseStatus: 204, error: null, durationMs: 12.4 };

export interface Sent {
  /** The text its event was emitted with. */
  text: string;
  sequence: number;
  request: OutgoingRequest;
  /** The check that the sender makes before the first byte. */
  mayBegin: () => boolean;
}

/** A fake sender: records requests and responds on command. */
export function createFakeServer() {
  const open: { sent: Sent; answer(outcome?: AttemptOutcome): void }[] = [];
  const far = {
    sent: [] as Sent[],
    /** Requests without a response. */
    open,
    most: 0,
    connections: { opened: 0, closed: 0 },
    /** Answers at once from now on, including open requests. */
    answering: undefined as AttemptOutcome | undefined,
    /** Called with each request before anything else. */
    onSend: async (_sent: Sent): Promise<void> => undefined,
    answerAll(outcome: AttemptOutcome = SUCCESS): void {
      far.answering = outcome;
      for (const one of [...open]) one.answer(outcome);
    },
    sender: {
      openPool() {
        far.connections.opened += 1;
        return {
          async send(request, mayBegin = () => true) {
            const { data } = JSON.parse(request.body) as { data: { order_notes: string } };
            const sequence = Number(request.headers['X-Svc-Sequence']);
            const sent = { text: data.order_notes, sequence, request, mayBegin };
            far.sent.push(sent);
            return new Promise<AttemptOutcome>((resolve) => {
              const one = {
                sent,
                answer(outcome = SUCCESS) {
                  open.splice(open.indexOf(one), 1);
                  resolve(outcome);
                },
              };
              open.push(one);
              far.most = Math.max(far.most, open.length);
              void far.onSend(sent).then(() => far.answering && one.answer(far.answering));
            });
          },
          async close() {
            far.connections.closed += 1;
          },
        };
      },
    } as Sender,
  };
  return far;
}
