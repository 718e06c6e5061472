import BrokerTesting
import BrowserTesting
import Foundation
import Testing

/// The networks between a friend's browser and the party.
@Suite("A page's ways to its party", .serialized)
struct PageWayTests {
  private let film: String

  init() throws { film = try PageGuest.film.get() }

  /// Opens a page, and waits until it has the host's film and the host has its guest.
  private func expectGuest(_ name: String, at url: URL, in page: PageGuest, of host: MatineeProcess)
    async throws
  {
    try await page.open(url)
    try await page.join(as: name)
    try await page.hasFilm()
    _ = try await host.state { state in
      state.roster.contains { $0["name"] as? String == name && $0["item"] is String }
    }
  }

  /// Tries the page's file, and the page that a relay serves.
  private func expectGuests(in browser: any Browser, of host: MatineeProcess) async throws {
    _ = try await host.next("opened")
    let page = PageGuest(browser)
    let (file, _) = try await PageGuest.link(from: host)
    try await expectGuest("Mia", at: file, in: page, of: host)
    let (_, links) = try await PageGuest.link(from: host)
    try await expectGuest("Zoe", at: try #require(links.first), in: page, of: host)
  }

  @Test(
    "From another machine of the home, to the host's own relay",
    .enabled(
      "this machine lets the tests make no network namespaces, for which they need root, ip and nft"
    ) { HomeNetwork.isPossible })
  func otherMachine() async throws {
    let home = try HomeNetwork()
    let host = try MatineeProcess(
      ["host", "--name", "Ana", film],
      environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"],
      namespace: home.name(.study))
    try await expectGuests(in: try await Chromium(in: home.name(.sofa)), of: host)
  }

  @Test("Through a relay of others, with TLS")
  func remoteRelay() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let files = try certificates.files(names: ["DNS:localhost"])
    let relay = try await RelayProcess([
      "--tls-certificate", files.chain, "--tls-key", files.key,
    ])
    let host = try MatineeProcess([
      "host", film, "--name", "Ana", "--relay", "tls://localhost:\(relay.port)", "--relay-ca",
      certificates.authority,
    ])
    try await expectGuests(in: try await Chromium(acceptsCertificates: true), of: host)
    #expect(try await host.quit() == 0)
    relay.child.terminate()
    #expect(relay.child.wait() == 0)
  }

  @Test("Through a nats-server, with WebSocket and TLS")
  func natsServer() async throws {
    let certificates = try Certificates()
    defer { certificates.remove() }
    let protection = try certificates.serverSettings(names: ["DNS:localhost"])
    let settings = "websocket { host: \"127.0.0.1\", port: -1, \(protection) }"
    try await NATSServer.run(settings) { server in
      let port = try #require(server.webSocketPort)
      let host = try MatineeProcess([
        "host", film, "--name", "Ana", "--relay", "wss://localhost:\(port)", "--relay-ca",
        certificates.authority,
      ])
      _ = try await host.next("opened")
      let (file, _) = try await PageGuest.link(from: host)
      let page = PageGuest(try await Chromium(acceptsCertificates: true))
      try await expectGuest("Mia", at: file, in: page, of: host)
      #expect(try await host.quit() == 0)
    }
  }
}
