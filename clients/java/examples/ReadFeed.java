import io.tollgate.EventsOptions;
import io.tollgate.Tollgate;
import io.tollgate.model.PaymentNotification;

class ReadFeed {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").build();
    // Where you stopped, from your own database. `withFollow(true)` waits at the end for what comes next.
    var cursor = System.getenv("CURSOR");
    for (var event : client.tollgate().events(EventsOptions.from(cursor))) {
      // An event goes into `ApplyOnce.applyOnce` as a notification does. Keep its cursor in the same transaction.
      if (event.body() instanceof PaymentNotification payment) {
        System.out.println(event.cursor() + " " + payment.paymentRequestId() + " " + payment.result().resultCode());
      }
    }
  }
}
