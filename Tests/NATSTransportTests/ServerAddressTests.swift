import GroupActivities
import Testing

@testable import NATSTransport

@Suite("A server's address")
struct ServerAddressTests {
  @Test(
    "An address is parsed in all its forms",
    arguments: [
      ("example.org:4223", "nats://example.org:4223", "example.org:4223"),
      ("example.org", "nats://example.org:4222", "example.org:4222"),
      ("nats://example.org/", "nats://example.org:4222", "example.org:4222"),
      ("NATS://[::1]:5", "nats://[::1]:5", "[::1]:5"),
      ("[fe80::1]", "nats://[fe80::1]:4222", "[fe80::1]:4222"),
      ("tls://u:p@h:1", "tls://u:p@h:1", "h:1"), ("u:p@@h", "nats://u:p@@h:4222", "h:4222"),
      ("tls-first://h", "tls-first://h:4222", "h:4222"), ("ws://h", "ws://h:80", "h:80"),
      ("WSS://[::1]", "wss://[::1]:443", "[::1]:443"), ("wss://h:8443/", "wss://h:8443", "h:8443"),
      ("token@h:1", "nats://token@h:1", "h:1"), ("h:1+tls", "tls://h:1+tls", "h:1+tls"),
      ("ws://h:1+tls", "wss://h:1+tls", "h:1+tls"),
      (
        "u+v@h:1+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "tls://u+v@h:1+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "h:1+AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      ),
    ])
  func forms(text: String, url: String, shown: String) throws {
    let address = try ServerAddress(text)
    #expect(address.url == url)
    #expect("\(address)" == shown)
  }

  @Test(
    "An invalid address is refused with a reason",
    arguments: [
      "", ":4222", "nats://", "http://h:1", "h:0", "h:65536", "h:x", "h:", "::1", "[::1", "::1]:5",
      "h h:1", "h:1,g:2", "h\n:1", "a/b:1", "wss://h/path", "h:1+", "h:1+TLS", "h:1+AAAA",
      "h:1+tls+tls",
    ])
  func malformed(text: String) {
    let error = #expect(throws: TransportError.self) { try ServerAddress(text) }
    #expect(error?.kind == .unreachable)
  }

  @Test("An address doesn't show its password, also when it is wrong")
  func secrecy() {
    let error = #expect(throws: TransportError.self) { try ServerAddress("nats://me:pw@h:0") }
    #expect(error?.description.contains("pw") == false)
    #expect(error?.description.contains("h:0") == true)
  }
}
