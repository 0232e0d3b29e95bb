import type { OutgoingDelivery, SenderContext } from './channel.ts';
import { eventText, type EventText } from './texts.ts';

/** The texts of the event of a delivery. @param unsubscribe the link that ends what is sent to the address; null: there is none */
export const textOf = (
  { config }: SenderContext,
  delivery: OutgoingDelivery,
  unsubscribe: string | null = null,
): EventText =>
  eventText({
    eventType: delivery.event_type,
    severity: delivery.severity,
    payload: delivery.payload,
    occurredAt: delivery.occurred_at,
    operatorId: delivery.operator_id,
    destinationId: delivery.destination_id,
    publicBaseUrl: config.publicBaseUrl,
    unsubscribe,
  });
