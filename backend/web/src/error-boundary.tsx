import { Button, Center, Code, Stack, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useSpeech } from './language';

/** A fault of the page itself: said, with a way out. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    return this.state.error ? <Fallen error={this.state.error} /> : this.props.children;
  }
}

function Fallen({ error }: { error: Error }) {
  const { words } = useSpeech();
  return (
    <Center h="100%" p="md">
      <Stack align="center" role="alert">
        <Title order={1} size="h3">
          {words.error.title}
        </Title>
        <Code>{error.message}</Code>
        <Button onClick={() => location.reload()}>{words.error.reload}</Button>
      </Stack>
    </Center>
  );
}
