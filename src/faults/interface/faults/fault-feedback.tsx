import { FeedbackPanel } from '#src/faults/interface/error/feedback-panel.tsx';
import { listFeedback } from '#src/faults/feedback/list-feedback.ts';

/** What people wrote about a fault's errors. */
export async function FaultFeedback({ fault, now }: { fault: { readonly id: string }; now: number }) {
  return <FeedbackPanel feedback={await listFeedback({ fault: fault.id })} now={now} />;
}
