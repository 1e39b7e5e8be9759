import { Button, Center, Code, Stack, Title } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { useI18n } from '../i18n/i18n';

interface Props {
  /** the page's URL; navigating resets the error */
  at?: string;
  children: ReactNode;
}

/** Shows render errors with a reload button. */
export class ErrorBoundary extends Component<Props, { error?: Error | undefined }> {
  override state: { error?: Error | undefined } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate({ at }: Props) {
    if (this.state.error && at !== this.props.at) this.setState({ error: undefined });
  }

  override render() {
    return this.state.error ? <ErrorMessage error={this.state.error} /> : this.props.children;
  }
}

function ErrorMessage({ error }: { error: Error }) {
  const { messages } = useI18n();
  return (
    <Center h="100%" p="md">
      <Stack align="center" role="alert">
        <Title order={1} size="h3">
          {messages.error.title}
        </Title>
        <Code>{error.message}</Code>
        <Button onClick={() => location.reload()}>{messages.error.reload}</Button>
      </Stack>
    </Center>
  );
}
