import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Message {
  role: string;
  content: string | null;
}

/** One answer of the model: a call of a tool, or the last words. */
export type Reply = { tool: string; input: Record<string, unknown> } | { say: string };

export type Model = Awaited<ReturnType<typeof startModel>>;

/** Stands for a chat model behind the interface of OpenAI: on a loopback socket, and says what a test wrote down for it. */
export async function startModel() {
  let replies: Reply[] = [];
  let heard: string[] = [];
  let tools: string[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as {
        messages: Message[];
        tools?: Array<{ function: { name: string } }>;
      };
      const reply = replies.shift();
      if (!req.url?.endsWith('/chat/completions') || !reply) {
        res.writeHead(404).end();
        return;
      }
      tools = (body.tools ?? []).map((tool) => tool.function.name);
      heard = body.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
      const call = 'tool' in reply && { name: reply.tool, arguments: JSON.stringify(reply.input) };
      const message = call
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: `call_${replies.length}`, type: 'function', function: call }],
          }
        : { role: 'assistant', content: 'say' in reply ? reply.say : '' };
      const choice = { index: 0, message, finish_reason: call ? 'tool_calls' : 'stop' };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      res.writeHead(200, { 'content-type': 'application/json' });
      res.end(JSON.stringify({ id: 'x', object: 'chat.completion', created: 1, model: 'x', choices: [choice], usage }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    /** for the credential `openAiApi` */
    url: `http://127.0.0.1:${port}/v1`,
    /** what it answers from now on, in turn */
    follow(script: Reply[]): void {
      replies = [...script];
      heard = [];
    },
    /** what the tools gave in the conversation so far */
    heard: () => heard,
    /** names of the tools that it was offered */
    tools: () => tools,
    async stop(): Promise<void> {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
