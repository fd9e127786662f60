import type { CreatedKey } from 'mynah';
import { useTranslate } from '../lib/use-translate.ts';
import { Button } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Shows a new key, once. */
export function ShownKeyDialog({
  shown,
  onClose,
}: {
  readonly shown: CreatedKey | undefined;
  readonly onClose: () => void;
}) {
  const t = useTranslate();
  return (
    <Dialog title={t('Your new key')} isOpen={shown !== undefined} onClose={onClose}>
      <p className="text-muted">{t('Copy it now: it is not shown again.')}</p>
      <div className="my-4 flex items-center gap-2 rounded-lg bg-sunken p-3">
        <code className="min-w-0 flex-1 text-sm break-all" data-testid="new-key">
          {shown?.key}
        </code>
        <CopyButton text={shown?.key ?? ''} label={t('Copy')} />
      </div>
      <div className="flex justify-end">
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </div>
    </Dialog>
  );
}
