import Foundation
import GroupActivities
import Testing

/// The real program with the real daemons, in a home made of network namespaces.
@Suite(
  "Reaching home",
  .enabled(
    "this machine lets the tests make no network namespaces, for which they need root, ip and nft"
  ) { HomeNetwork.isPossible },
  .serialized)
struct HomeTests {
  private func host(
    in home: HomeNetwork, _ more: [String] = [],
    environment: [String: String] = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
  ) throws -> MatineeProcess {
    try MatineeProcess(
      ["host", "--name", "Ana"] + more, environment: environment, namespace: home.name(.study))
  }

  private func guest(
    _ invite: String, on machine: HomeNetwork.Machine, in home: HomeNetwork
  ) throws -> MatineeProcess {
    try MatineeProcess(["join", invite, "--name", "Ben"], namespace: home.name(machine))
  }

  /// The study's own addresses.
  private let own = [
    "ipv6 [\(HomeNetwork.prefix)::2]:62846", "lan 192.168.77.2:62846",
  ]

  private func addresses(_ event: MatineeProcess.Event) -> [String] {
    (event.fields["addresses"] as? [[String: Any]] ?? []).map {
      "\($0["kind"] ?? "?") \($0["address"] ?? "?")"
    }
  }

  @Test(
    "A friend outside joins through the port that the router maps, which is closed again at the end",
    arguments: [true, false])
  func mapped(natPMP: Bool) async throws {
    let home = try HomeNetwork()
    try home.startMiniUPnPd(natPMP: natPMP, upnp: true)
    let file = Clips.folder.appendingPathComponent("invite-\(UUID().uuidString)").path
    let ana = try host(in: home, ["--invite-file", file])
    let hosting = try await ana.next("hosting")
    #expect(addresses(hosting) == own)
    #expect(hosting.string("router") == "searching")
    let mapped = try await ana.next("invite") { $0.string("router") == "mapped" }
    #expect(addresses(mapped) == ["public 11.22.33.1:62846"] + own)
    #expect(mapped.fields["advice"] is NSNull)
    #expect(try await home.maps(1))
    let invite = try #require(mapped.string("invite"))
    #expect(try String(contentsOfFile: file, encoding: .utf8) == invite + "\n")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)

    // The friend's network has no route to the address at home.
    let friend = try guest(invite, on: .friend, in: home)
    #expect(try await friend.next("connected").string("relay") == "11.22.33.1:62846")
    _ = try await friend.next("joined")
    // From the sofa both addresses may answer.
    let sofa = try guest(invite, on: .sofa, in: home)
    _ = try await sofa.next("joined")
    #expect(try await friend.quit() == 0)
    #expect(try await sofa.quit() == 0)
    // The signal that a service manager sends.
    ana.terminate()
    #expect(try await ana.exitCode() == 0)
    #expect(try home.mappings().isEmpty)
  }

  @Test("A newcomer opens a film on the internet that the host named, and is asked about a guest's")
  func consent() async throws {
    let home = try HomeNetwork()
    let url = try home.serve(try Clips.stream.get())
    let ana = try host(in: home, ["--no-port-mapping"])
    let invite = try #require(try await ana.next("hosting").string("invite"))
    let mallory = try guest(invite, on: .sofa, in: home)
    _ = try await mallory.next("joined")
    try mallory.send("load \(url)")
    // Ana hasn't agreed to it. Her program signs the session again, so that newcomers accept it.
    _ = try await ana.next("confirm")
    try ana.send("control hosts")
    _ = try await mallory.next("rules")
    let ben = try guest(invite, on: .sofa, in: home)
    let question = try await ben.next("confirm")
    #expect(question.string("url") == url && question.flag("ownNetwork") == false)
    #expect(try await ben.quit() == 0)
    // The same address, once she names it herself.
    try ana.send("load \(url)?hers")
    _ = try await ana.next("opened")
    let chi = try guest(invite, on: .sofa, in: home)
    _ = try await chi.next("opened")
    for program in [chi, mallory, ana] { #expect(try await program.quit() == 0) }
  }

  @Test(
    "With --no-port-mapping the router is left alone: at home IPv6 and IPv4 work, and a friend reads the tried addresses"
  )
  func noPortMapping() async throws {
    let home = try HomeNetwork()
    try home.startMiniUPnPd(natPMP: true, upnp: true)
    let ana = try host(in: home, ["--no-port-mapping"])
    let hosting = try await ana.next("hosting")
    #expect(hosting.fields["router"] is NSNull)
    #expect(hosting.string("advice")?.contains("Forward TCP port 62846") == true)
    #expect(addresses(hosting) == own)
    let invite = try Invite(try #require(hosting.string("invite")))
    for address in invite.addresses {
      let ben = try guest(invite.at([address]).text, on: .sofa, in: home)
      #expect(try await ben.next("connected").string("relay") == address.text)
      _ = try await ben.next("joined")
      #expect(try await ben.quit() == 0)
    }
    // No route leads in, and the program reports the addresses that it tried.
    let friend = try guest(invite.text, on: .friend, in: home)
    let error = try #require(try await friend.next("error").string("message"))
    #expect(error.contains("192.168.77.2:62846"))
    #expect(try await friend.exitCode() == 69)
    #expect(try home.mappings().isEmpty)
    #expect(try await ana.quit() == 0)
  }

  @Test(
    "A lease is renewed while its owner runs, and after a crash the port stays open no longer than the lease"
  )
  func lease() async throws {
    let home = try HomeNetwork()
    // UPnP has no request for a renewal: the program requests the same mapping again, which might
    // be taken for a conflict.
    try home.startMiniUPnPd(natPMP: false, upnp: true)
    let lease = Duration.seconds(4)
    let probe = try home.startProbe(port: 62846, lease: 4)
    let start = ContinuousClock.now
    while ContinuousClock.now - start < lease + .seconds(2) {
      #expect(try home.mappings().count == 1)
      try await Task.sleep(for: .milliseconds(250))
    }
    kill(probe.id, SIGKILL)
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    while try !home.mappings().isEmpty, ContinuousClock.now < deadline {
      try await Task.sleep(for: .milliseconds(100))
    }
    #expect(try home.mappings().isEmpty)
  }

  @Test(
    "A party is found at home by mDNS, also after a restart of the daemon, and its announcement is not enough to join it"
  )
  func announced() async throws {
    let home = try HomeNetwork()
    let study = try home.startAvahi(on: .study)
    let sofa = try home.startAvahi(on: .sofa)
    let ana = try host(in: home, ["--no-port-mapping"], environment: study)
    let hosting = try await ana.next("hosting")
    let invite = try #require(hosting.string("invite"))
    #expect(try await ana.next("invite").flag("announced") == true)
    home.stopAvahi(on: .study)
    _ = try await ana.next("invite") { $0.flag("announced") == false }
    try home.restartAvahi(on: .study)
    _ = try await ana.next("invite") { $0.flag("announced") == true }

    // From the sofa, and on the host's own machine.
    for (machine, environment) in [(HomeNetwork.Machine.sofa, sofa), (.study, study)] {
      let finder = try MatineeProcess(
        ["join"], environment: environment, namespace: home.name(machine))
      let party = try await finder.next("party")
      let addresses = party.fields["addresses"] as? [String] ?? []
      // The address is IPv4 or IPv6, whichever was announced first: the join below shows that the address
      // works.
      #expect(addresses.contains { $0.hasSuffix(":62846") }, "\(addresses)")
      let id = try #require(party.string("party"))
      #expect(invite.contains("/\(id)#"))
      #expect(try await finder.next("error").string("message")?.contains("matinee join -") == true)
      #expect(try await finder.exitCode() == 64)
      // The found address and the secret make an invite.
      let secret = try #require(invite.split(separator: "#").last)
      #expect(!"\(party)".contains(secret))
      let ben = try guest("matinee://\(addresses[0])/\(id)#\(secret)", on: machine, in: home)
      _ = try await ben.next("joined")
      #expect(try await ben.quit() == 0)
    }

    // A party that has ended is no longer found.
    #expect(try await ana.quit() == 0)
    // Other daemons forget an announcement within a second of its withdrawal.
    let deadline = ContinuousClock.now + MatineeProcess.deadline
    var status: Int32 = 64
    while status == 64, ContinuousClock.now < deadline {
      let late = try MatineeProcess(["join"], environment: sofa, namespace: home.name(.sofa))
      let message = try await late.next("error").string("message")
      status = try await late.exitCode()
      if status == 69 { #expect(message?.contains("no party") == true) }
    }
    #expect(status == 69)
  }

  @Test("On the sofa the user picks the party, and types the secret from the host's screen")
  func picker() async throws {
    let home = try HomeNetwork()
    _ = try home.startAvahi(on: .study)
    _ = try home.startAvahi(on: .sofa)
    let ana = try home.open(["host", "--name", "Ana", "--no-port-mapping"], on: .study)
    // matinee join   SECRET  on this network
    let row = try await ana.row(containing: "matinee join")
    let words = row.split(separator: " ")
    let join = try #require(words.firstIndex(of: "join"))
    let secret = String(try #require(words.dropFirst(join + 1).first))
    let ben = try home.open(["join", "--name", "Ben"], on: .sofa)
    _ = try await ben.row(containing: "Invite:")
    try ben.type("\n")
    // By IPv4 or IPv6, whichever the daemon has resolved.
    #expect(try await ben.row(containing: "  1  ").contains(":62846"))
    _ = try await ben.row(containing: "its part after #")
    try ben.type("not the secret\n")
    _ = try await ben.row(containing: "That isn't the secret")
    try ben.type(secret + "\n")
    _ = try await ben.row(containing: "You joined as Ben")
    try ben.type("q")
    _ = try await ben.row(containing: "ended 0")
    // The secret of another party.
    let chi = try home.open(["join", "--name", "Chi"], on: .sofa)
    _ = try await chi.row(containing: "Invite:")
    try chi.type("\n")
    _ = try await chi.row(containing: "its part after #")
    try chi.type(String(repeating: "A", count: 22) + "\n")
    _ = try await chi.row(containing: "ended 77")
  }

  @Test("With --no-announce nothing is announced at home; without a daemon nothing fails")
  func silent() async throws {
    let home = try HomeNetwork()
    let study = try home.startAvahi(on: .study)
    let ana = try host(in: home, ["--no-port-mapping", "--no-announce"], environment: study)
    _ = try await ana.next("joined")
    let finder = try MatineeProcess(["join"], environment: study, namespace: home.name(.study))
    #expect(try await finder.exitCode() == 69)
    let nowhere = ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=/nonexistent"]
    let blind = try MatineeProcess(["join"], environment: nowhere, namespace: home.name(.study))
    #expect(try await blind.next("error").string("message")?.contains("Avahi") == true)
    #expect(try await blind.exitCode() == 69)
    #expect(try await ana.quit() == 0)
  }
}

/// Tests that need no namespace.
@Suite("An invite with several addresses")
struct InviteAddressTests {
  @Test(
    "The program leaves a relay of strangers at one of the addresses, and tries the party's own")
  func strangers() async throws {
    let relay = try await RelayProcess()
    let ana = try MatineeProcess(["host", "--listen", "127.0.0.1:0", "--name", "Ana"])
    let invite = try Invite(try #require(try await ana.next("hosting").string("invite")))
    // It admits all participants and answers first, but no member is there.
    let wrong = try #require(Invite.Address("127.0.0.1:\(relay.port)"))
    let both = invite.at([wrong] + invite.addresses)
    let ben = try MatineeProcess(["join", both.text, "--name", "Ben"])
    #expect(try await ben.next("connected").string("relay") == invite.addresses[0].text)
    _ = try await ben.next("joined")
    for one in [ben, ana] { #expect(try await one.quit() == 0) }
    withExtendedLifetime(relay) {}
  }
}
