package io.tollgate;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.tollgate.exception.InvalidRequestException;
import io.tollgate.model.InquiryNotificationsRequest;
import io.tollgate.model.PaymentNotification;
import io.tollgate.testing.FakeClock;
import io.tollgate.testing.FakeGateway;
import io.tollgate.testing.Reply;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FeedTest {
  private static final String RESULT =
      "\"result\":{\"resultCode\":\"SUCCESS\",\"resultStatus\":\"S\",\"resultMessage\":\"success.\"}";

  private final FakeClock clock = new FakeClock();

  @Test
  void readsPageByPageFromTheCursor() {
    var gateway = Shop.gateway(page("9", true, 8, 9), page("10", false, 10));
    var events = new ArrayList<Event>();
    for (var event : feed(gateway).events(EventsOptions.from("7").withPageSize(2))) events.add(event);
    assertEquals(List.of("{\"cursor\":\"7\",\"limit\":2}", "{\"cursor\":\"9\",\"limit\":2}"), asked(gateway));
    assertEquals(
        List.of("8 notifyPayment p-8 4", "9 notifyPayment p-9 4", "10 notifyPayment p-10 4"),
        events.stream().map(each -> each.cursor() + " " + each.subject() + " " + each.sequence()).toList());
    assertEquals("o-1", assertInstanceOf(PaymentNotification.class, events.get(0).body()).paymentRequestId());
    assertEquals("n-8", events.get(0).notificationId());
  }

  @Test
  void aRejectionEndsTheLoop() {
    var events = feed(Shop.gateway(Reply.result("PARAM_ILLEGAL", "F"))).events(EventsOptions.DEFAULT.withFollow(true));
    assertThrows(InvalidRequestException.class, () -> events.iterator().hasNext());
  }

  @Test
  void pollsWithBackoffWhileTheGatewayDoesNotRespond() {
    var gateway = Shop.gateway(
        page("1", false, 1), page("1", false), Reply.reset(), Reply.reset(), page("2", false, 2));
    var heard = new ArrayList<String>();
    for (var event : feed(gateway).events(EventsOptions.DEFAULT.withFollow(true))) {
      heard.add(event.cursor());
      if (heard.contains("2")) break;
    }
    assertEquals(List.of("1", "2"), heard);
    assertEquals(
        List.of(Duration.ofSeconds(1), Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(4)),
        clock.slept());
  }

  @Test
  void listsWebhooksPageByPage() {
    var gateway = Shop.gateway(
        Reply.of("{" + RESULT + ",\"notifications\":[" + sent("n-1") + "," + sent("n-2") + "],\"hasMore\":true}"),
        Reply.of("{" + RESULT + ",\"notifications\":[" + sent("n-3") + "],\"hasMore\":false}"));
    var ids = new ArrayList<String>();
    var request = InquiryNotificationsRequest.builder().subjectId("p-1").build();
    for (var each : feed(gateway).notifications(request)) ids.add(each.notificationId());
    assertEquals(List.of("n-1", "n-2", "n-3"), ids);
    assertEquals(List.of("{\"subjectId\":\"p-1\"}", "{\"subjectId\":\"p-1\",\"after\":\"n-2\"}"), asked(gateway));
  }

  private Feed feed(FakeGateway gateway) {
    return Shop.client(gateway).clock(clock).maxRetries(0).build().tollgate();
  }

  private static List<String> asked(FakeGateway gateway) {
    return gateway.requests().stream().map(each -> new String(each.body(), StandardCharsets.UTF_8)).toList();
  }

  private static Reply page(String nextCursor, boolean hasMore, int... numbers) {
    var events = IntStream.of(numbers).mapToObj(FeedTest::event).collect(Collectors.joining(","));
    return Reply.of(
        "{" + RESULT + ",\"events\":[" + events + "],\"nextCursor\":\"" + nextCursor + "\",\"hasMore\":" + hasMore + "}");
  }

  private static String event(int number) {
    var body = "{\"notifyType\":\"PAYMENT_RESULT\"," + RESULT + ",\"paymentId\":\"p-" + number
        + "\",\"paymentRequestId\":\"o-1\",\"paymentCreateTime\":\"2026-11-15T09:30:00+00:00\",\"sequence\":4}";
    return "{\"cursor\":\"" + number + "\",\"notificationId\":\"n-" + number + "\",\"kind\":\"notifyPayment\","
        + "\"subjectId\":\"p-" + number + "\",\"sequence\":4,\"createdTime\":\"2026-11-15T09:30:04+00:00\","
        + "\"body\":\"" + body.replace("\"", "\\\"") + "\"}";
  }

  private static String sent(String id) {
    return "{\"notificationId\":\"" + id + "\",\"notificationKind\":\"notifyPayment\",\"notificationStatus\":\"DELIVERED\","
        + "\"subjectId\":\"p-1\",\"sequence\":4,\"createdTime\":\"2026-11-15T09:30:04+00:00\",\"attempts\":[]}";
  }
}
