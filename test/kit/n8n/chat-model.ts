import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Call {
  /** The tool's name as the model is told it. */
  tool: string;
  args: Record<string, unknown>;
}

interface Message {
  role: string;
  content: unknown;
}

interface OfferedTool {
  function: { name: string; description?: string; parameters?: { properties?: Record<string, unknown> } };
}

interface ChatRequest {
  stream?: boolean;
  messages: Message[];
  tools?: OfferedTool[];
}

/** A fake chat-completions model that calls the tools of a script one after another. */
export async function startChatModel(script: Array<() => Call>) {
  const requests: ChatRequest[] = [];

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      if (!req.url?.endsWith('/chat/completions')) return void res.writeHead(404).end('{}');
      const request = JSON.parse(Buffer.concat(chunks).toString('utf8')) as ChatRequest;
      requests.push(request);
      const answered = toolMessages(request).length;
      const next = script[answered]?.();
      const message = next
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [
              {
                id: `call_${answered}`,
                index: 0,
                type: 'function',
                function: { name: next.tool, arguments: JSON.stringify(next.args) },
              },
            ],
          }
        : { role: 'assistant', content: 'done' };
      const finish_reason = next ? 'tool_calls' : 'stop';
      const whole = { id: `chat-${requests.length}`, created: 0, model: 'scripted' };
      if (request.stream) {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        const object = 'chat.completion.chunk';
        res.write(`data: ${JSON.stringify({ ...whole, object, choices: [{ index: 0, delta: message }] })}\n\n`);
        res.write(
          `data: ${JSON.stringify({ ...whole, object, choices: [{ index: 0, delta: {}, finish_reason }] })}\n\n`,
        );
        res.end('data: [DONE]\n\n');
      } else {
        const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
        const choices = [{ index: 0, message, finish_reason }];
        res
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ ...whole, object: 'chat.completion', choices, usage }));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    /** The answers of each called tool, in the order of the calls. */
    toolAnswers: (): string[] => toolMessages(requests.at(-1) as ChatRequest).map(({ content }) => textOf(content)),
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

const toolMessages = ({ messages }: ChatRequest): Message[] => messages.filter(({ role }) => role === 'tool');

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : (content as Array<{ text?: string }>).map(({ text }) => text).join('');
