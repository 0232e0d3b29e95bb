import { setCurrentDetails } from '@temporalio/workflow';
import { database } from './steps.ts';

/** Started once a day by its schedule; whether it is time is the row's to say, so a run too many rotates nothing. */
export async function keyRotation(): Promise<void> {
  const { rotated } = await database.rotateSigningKeysWhenDue();
  const young = 'Not due: the active key is younger than 90 days.';
  setCurrentDetails(rotated ? 'Rotated the keys that sign passports.' : young);
}
