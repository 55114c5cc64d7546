import io.tollgate.Tollgate;
import io.tollgate.model.InquiryPaymentRequest;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.Signature;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Compares the client with Java's own HTTP client alone, against a handler that always sends the same
 * response.
 */
class Measure {
  private static final InquiryPaymentRequest INQUIRY = InquiryPaymentRequest.builder().paymentId("1").build();
  private static final long WINDOW_MS = 2_000;
  private static final int ROUNDS = 3;

  public static void main(String[] parameters) throws Exception {
    long startedAt = System.nanoTime();
    if (parameters[0].equals("nothing")) return;
    if (parameters[0].equals("first-plain")) {
      plain(HttpClient.newHttpClient()).call();
      print("first plain request", startedAt);
      return;
    }
    var client = Tollgate.fromEnvironment();
    client.payments().inquiryPayment(INQUIRY);
    if (parameters[0].equals("first")) print("first request", startedAt);
    else rates(client);
  }

  private static void rates(Tollgate client) throws Exception {
    var plain = plain(HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
    var key = KeyPairGenerator.getInstance("RSA").generateKeyPair().getPrivate();
    Callable<Object> signature = () -> signatureWith(key);
    Callable<Object> signed = () -> client.payments().inquiryPayment(INQUIRY);
    for (int threads : new int[] {1, 8}) {
      // The first round warms up the JIT compiler.
      for (int round = 0; round <= ROUNDS; round += 1) {
        long plainRate = rate(threads, plain);
        long signatureRate = rate(threads, signature);
        long signedRate = rate(threads, signed);
        if (round == 0) continue;
        System.out.println(threads + " threads: java.net.http alone " + plainRate + "/s, a signature alone "
            + signatureRate + "/s, tollgate " + signedRate + "/s");
      }
    }
  }

  private static Callable<Object> plain(HttpClient http) {
    var url = URI.create(System.getenv("TOLLGATE_BASE_URL") + "/ams/api/v1/payments/inquiryPayment");
    var request = HttpRequest.newBuilder(url)
        .header("content-type", "application/json; charset=UTF-8")
        .POST(HttpRequest.BodyPublishers.ofString(INQUIRY.toJson()))
        .build();
    return () -> http.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  /** The minimum cost of a request: Java computes RSA signatures without native code. */
  private static byte[] signatureWith(PrivateKey key) throws GeneralSecurityException {
    var signature = Signature.getInstance("SHA256withRSA");
    signature.initSign(key);
    signature.update(new byte[200]);
    return signature.sign();
  }

  private static long rate(int threads, Callable<Object> call) throws Exception {
    var done = new LongAdder();
    long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WINDOW_MS);
    var pool = Executors.newFixedThreadPool(threads);
    var work = new ArrayList<Callable<Object>>();
    for (int index = 0; index < threads; index += 1) {
      work.add(() -> {
        for (; System.nanoTime() < untilNs; done.increment()) call.call();
        return null;
      });
    }
    for (var each : pool.invokeAll(work)) each.get();
    pool.shutdown();
    return done.sum() * 1_000 / WINDOW_MS;
  }

  private static void print(String what, long startedAt) {
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedAt);
    System.out.println(what + ": " + tookMs + " ms after main began");
  }
}
