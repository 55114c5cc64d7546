import io.tollgate.LogEntry;
import io.tollgate.Tollgate;
import io.tollgate.model.InquiryOpenRecordsRequest;

class Log {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").logger(Log::write).build();
    client.tollgate().inquiryOpenRecords(InquiryOpenRecordsRequest.builder().build());
  }

  /** Log entries contain no secrets. */
  private static void write(LogEntry entry) {
    if (entry instanceof LogEntry.Warning warning) System.out.println(warning.message());
    if (entry instanceof LogEntry.Response response) {
      System.out.println(response.operation() + ": " + response.outcome() + " after "
          + response.duration().toMillis() + " ms, trace " + response.traceId());
    }
  }
}
