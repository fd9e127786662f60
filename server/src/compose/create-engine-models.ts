import type { ModelStore } from '../inference/models/store/model-store.ts';
import type { ProgressDisplay } from '../inference/models/store/progress-display.ts';
import { EngineModels } from '../inference/runtime/process/engine-models.ts';
import type { Logger } from '../logger.ts';

export interface EngineModelsDeps {
  readonly store: ModelStore;
  readonly progress: ProgressDisplay;
  readonly logger: Logger;
  readonly waitMs: number;
}

/** The models of one kind of worker. Progress is displayed, failures are logged. */
export function createEngineModels({ store, progress, logger, waitMs }: EngineModelsDeps): EngineModels {
  return new EngineModels({
    store,
    onProgress: progress.show,
    onFailure: (model, err) => logger.error({ model, err }, 'a model cannot be installed'),
    waitMs,
  });
}
