package shop;

import io.tollgate.Tollgate;
import io.tollgate.model.InquiryOpenRecordsRequest;

/** A program that is itself a module. */
public class Main {
  public static void main(String[] parameters) {
    var client = Tollgate.builder().environment("sandbox").build();
    var answer = client.tollgate().inquiryOpenRecords(InquiryOpenRecordsRequest.builder().build());
    System.out.println(Tollgate.class.getModule().getName() + " " + answer.result().resultCode());
  }
}
