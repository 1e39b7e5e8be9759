import { Alert, Modal, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation } from '@tanstack/react-query';
import { Problem } from '../api/client';
import { renewSession } from '../api/renew-session';
import { formatError } from '../i18n/format-error';
import { useI18n, useMessages } from '../i18n/i18n';
import { FormFooter } from '../ui/form-footer';
import { PasswordField } from './fields';

const en = {
  title: 'Enter your password',
  lead: 'This change affects who can use your account, who receives its events or where money goes, so please confirm that it’s you.',
  wrong: 'Incorrect password',
  confirm: 'Continue',
};

const ru: typeof en = {
  title: 'Введите пароль',
  lead: 'От этого изменения зависит, кто получит доступ к учётной записи, кому отправятся события или куда придут деньги, поэтому подтвердите, что это вы.',
  wrong: 'Неверный пароль',
  confirm: 'Продолжить',
};

const MESSAGES = { en, ru };

/** @param onEnd called with whether the password was right */
export function PasswordDialog({ onEnd }: { onEnd(isConfirmed: boolean): void }) {
  const { messages: appMessages } = useI18n();
  const messages = useMessages(MESSAGES);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { password: '' },
    validate: { password: (password) => (password ? null : appMessages.required) },
  });
  const check = useMutation({
    mutationFn: (body: { password: string }) => renewSession('POST', '/password-check', body),
    gcTime: 0,
    onSuccess: () => onEnd(true),
    onError(error) {
      if (error instanceof Problem && error.faults.length > 0) form.setFieldError('password', messages.wrong);
    },
  });
  const { error } = check;
  return (
    <Modal
      opened
      onClose={() => onEnd(false)}
      title={messages.title}
      closeButtonProps={{ 'aria-label': appMessages.order.close }}
      // above the dialog that asked
      zIndex={300}
    >
      <form noValidate onSubmit={form.onSubmit((values) => check.mutate(values))}>
        {error && !(error instanceof Problem && error.faults.length > 0) && (
          <Alert color="red" mb="sm" role="alert">
            {formatError(error, appMessages)}
          </Alert>
        )}
        <Text size="sm">{messages.lead}</Text>
        <PasswordField key={form.key('password')} data-autofocus {...form.getInputProps('password')} />
        <FormFooter close={() => onEnd(false)} submit={messages.confirm} isPending={check.isPending} mt="md" />
      </form>
    </Modal>
  );
}
