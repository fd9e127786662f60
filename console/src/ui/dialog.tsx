import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useTranslate } from '../lib/use-translate.ts';
import { Button, IconButton } from './button.tsx';

/** A modal dialog. The browser's own element traps the focus and closes on Escape without inline styles. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
  isWide = false,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
  readonly isWide?: boolean;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  const t = useTranslate();
  useEffect(() => {
    const dialog = element.current;
    if (isOpen && !dialog?.open) dialog?.showModal();
    if (!isOpen && dialog?.open) dialog.close();
  }, [isOpen]);
  return (
    <dialog
      ref={element}
      aria-labelledby={titleId}
      onClose={onClose}
      className={`m-auto w-[calc(100%-2rem)] rounded-2xl border border-line bg-surface p-0 text-ink shadow-card ${isWide ? 'max-w-2xl' : 'max-w-md'}`}
    >
      {isOpen && (
        <div className="p-5">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 id={titleId} className="text-lg font-semibold">
              {title}
            </h2>
            <IconButton label={t('Close')} icon="close" onClick={onClose} />
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}

/** Asks before something is destroyed. */
export function ConfirmDialog({
  title,
  text,
  action,
  isOpen,
  isBusy = false,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  readonly text: string;
  readonly action: string;
  readonly isOpen: boolean;
  readonly isBusy?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}) {
  const t = useTranslate();
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <p className="text-muted">{text}</p>
      <div className="mt-6 flex justify-end gap-2">
        <Button onClick={onClose}>{t('Cancel')}</Button>
        <Button look="danger" isBusy={isBusy} onClick={onConfirm}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
