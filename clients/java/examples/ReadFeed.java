import io.tollgate.EventsOptions;
import io.tollgate.Tollgate;
import io.tollgate.model.PaymentNotification;

class ReadFeed {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").build();
    // The cursor of the last applied event, from your own database. With `withFollow(true)` the loop waits at
    // the end of the feed for new events.
    var cursor = System.getenv("CURSOR");
    for (var event : client.tollgate().events(EventsOptions.from(cursor))) {
      // `ApplyOnce.applyOnce` accepts an event like a webhook. Store its cursor in the same transaction.
      if (event.body() instanceof PaymentNotification payment) {
        System.out.println(event.cursor() + " " + payment.paymentRequestId() + " " + payment.result().resultCode());
      }
    }
  }
}
