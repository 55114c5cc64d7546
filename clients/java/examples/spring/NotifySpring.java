package spring;

import io.tollgate.Incoming;
import io.tollgate.Tollgate;
import io.tollgate.exception.SignatureVerificationException;
import io.tollgate.model.PaymentNotification;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
public class NotifySpring {
  public static void main(String[] parameters) {
    SpringApplication.run(NotifySpring.class, parameters);
  }

  @Bean
  Tollgate tollgate() {
    return Tollgate.builder().environment("sandbox").build();
  }

  @RestController
  static class NotifyController {
    private final Tollgate client;

    NotifyController(Tollgate client) {
      this.client = client;
    }

    /** {@code byte[]} and nothing else: a signature covers the bytes as they came. */
    @PostMapping(path = "/notify", produces = MediaType.APPLICATION_JSON_VALUE)
    String receive(HttpServletRequest request, @RequestHeader HttpHeaders headers, @RequestBody byte[] body) {
      var query = request.getQueryString();
      var path = request.getRequestURI() + (query == null ? "" : "?" + query);
      var notification = client.webhooks().construct(Incoming.post(path, headers::getOrEmpty, body));
      if (notification.body() instanceof PaymentNotification payment) {
        System.out.println("told " + payment.result().resultCode());
      }
      return client.webhooks().ack();
    }

    @ExceptionHandler(SignatureVerificationException.class)
    @ResponseStatus(HttpStatus.UNAUTHORIZED)
    void refuse() {}
  }
}
