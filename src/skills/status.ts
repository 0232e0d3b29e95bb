import { isPlatform, type Caller } from '../commands/caller.ts';
import { assertThat, CarnetError } from '../errors/carnet-error.ts';
import type { ReviewStatus, SkillStatus } from './schema.ts';

/** The facts that decide the next state of a skill. */
export interface SkillState {
  status: SkillStatus;
  review_status: ReviewStatus;
  rejection_reason: string | null;
  execution_mode: 'open' | 'sealed' | 'source';
  executable: boolean;
}

export type StatusAction = 'suspend' | 'activate' | 'unlist' | 'approve' | { reject: string } | { takeDown: string };

export type NextState = Pick<SkillState, 'status' | 'review_status' | 'rejection_reason'>;

const isCleared = ({ review_status }: Pick<SkillState, 'review_status'>): boolean =>
  review_status === 'exempt' || review_status === 'approved';

const refusal = (state: SkillState, { action, hint }: { action: string; hint: string }): CarnetError =>
  new CarnetError('INVALID_STATE', `The skill is ${state.status} and cannot be ${action}: ${hint}`, {
    extra: { current_status: state.status },
  });

/**
 * The state after an action; the same state where nothing changes. A skill that was never approved, was rejected or was
 * taken down must pass a review before it is public.
 * @throws CarnetError INVALID_STATE, NO_EXECUTABLE_CONTENT
 */
export function nextState(state: SkillState, action: StatusAction): NextState {
  const { review_status, rejection_reason } = state;
  if (action === 'suspend') return { status: 'suspended', review_status, rejection_reason };
  if (action === 'unlist') {
    assertThat(state.status === 'active' || state.status === 'unlisted', () =>
      refusal(state, { action: 'unlisted', hint: 'only an active skill can be; activate it first.' }),
    );
    return { status: 'unlisted', review_status, rejection_reason };
  }
  if (action === 'activate') {
    assertThat(state.status !== 'pending_review', () =>
      refusal(state, { action: 'activated', hint: 'an administrator reviews it first.' }),
    );
    if (isCleared(state)) return { status: 'active', review_status, rejection_reason };
    return { status: 'pending_review', review_status: 'pending', rejection_reason: null };
  }
  if (typeof action === 'object' && 'takeDown' in action) {
    return { status: 'suspended', review_status: 'taken_down', rejection_reason: action.takeDown };
  }
  assertThat(state.status === 'pending_review', () =>
    refusal(state, {
      action: action === 'approve' ? 'approved' : 'rejected',
      hint: 'only a skill in pending_review can be; a change of another is named by change_id.',
    }),
  );
  if (action !== 'approve') return { status: 'suspended', review_status: 'rejected', rejection_reason: action.reject };
  assertThat(
    state.execution_mode === 'open' || state.executable,
    () =>
      new CarnetError(
        'NO_EXECUTABLE_CONTENT',
        `A ${state.execution_mode} skill needs steps, a script or a model to execute; publish one that has them under another name.`,
      ),
  );
  return { status: 'active', review_status: 'approved', rejection_reason: null };
}

/** The facts that decide who may see a skill. */
interface SkillVisibility {
  operator_id: string;
  status: SkillStatus;
  review_status: ReviewStatus;
  approved_at: string | null;
}

/** The owner and the platform see everything of a skill, its code and its review too. A passport buys: it sees of its operator's skills what others see. */
export const seesAll = (caller: Caller, skill: Pick<SkillVisibility, 'operator_id'>): boolean =>
  (caller.operatorId === skill.operator_id && caller.kind !== 'passport') || isPlatform(caller);

/**
 * Who may see a skill at all. Others see it while it is public; one that its owner suspends they see where it was public once, so
 * that what was built on it can still read it, and one that the platform took down they do not. `skill_visible_to` in SQL is the same rule.
 */
export const visibleTo = (caller: Caller, skill: SkillVisibility): boolean =>
  seesAll(caller, skill) ||
  skill.status === 'active' ||
  skill.status === 'unlisted' ||
  (skill.status === 'suspended' && skill.approved_at !== null && isCleared(skill));
