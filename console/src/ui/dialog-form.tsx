import type { ReactNode } from 'react';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from './button.tsx';
import { ErrorState } from './states.tsx';

interface Submission {
  readonly mutate: () => void;
  readonly error: unknown;
  readonly isPending: boolean;
}

/** The form of a dialog: its fields, the error of the last attempt, and the buttons to cancel and to submit. */
export function DialogForm({
  submission,
  action,
  isComplete = true,
  onCancel,
  children,
}: {
  readonly submission: Submission;
  /** Label of the button that submits. */
  readonly action: string;
  readonly isComplete?: boolean;
  readonly onCancel: () => void;
  readonly children: ReactNode;
}) {
  const t = useTranslate();
  return (
    <form
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        submission.mutate();
      }}
    >
      {children}
      {Boolean(submission.error) && <ErrorState error={submission.error} />}
      <div className="flex justify-end gap-2">
        <Button onClick={onCancel}>{t('Cancel')}</Button>
        <Button type="submit" look="primary" isBusy={submission.isPending} disabled={!isComplete}>
          {action}
        </Button>
      </div>
    </form>
  );
}
