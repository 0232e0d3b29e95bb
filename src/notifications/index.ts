export {
  advanceVerification,
  describeVerifications,
  reconcileVerifications,
  sendVerification,
  type TexterContext,
} from './destinations/verification/life.ts';
export { sealSecretsAnew } from './destinations/seal-anew.ts';
export type { OutgoingSms, SmsOutcome, Texter } from './texter.ts';
