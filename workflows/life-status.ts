import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';

/** `open` or `ended`: enough to list the lives still at work; the exact status is in the API's answers. */
export const lifeStatusKey = defineSearchAttributeKey('LifeStatus', SearchAttributeType.KEYWORD);

/** Only a run that was started with the attribute changes it: naming one the namespace lacks would fail the task for ever. */
export function markEnded(): void {
  if (workflowInfo().typedSearchAttributes.get(lifeStatusKey) === undefined) return;
  upsertSearchAttributes([{ key: lifeStatusKey, value: 'ended' }]);
}
