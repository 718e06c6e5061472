import BrokerTesting
import BrowserTesting
import Foundation
import ProcessTesting
import Testing

/// Friends with a browser only, in parties with real programs.
@Suite("Guests in a browser", .serialized)
struct BrowserPartyTests {
  private let film: String

  init() throws { film = try PageGuest.film.get() }

  private func host(_ more: [String] = []) throws -> MatineeProcess {
    try MatineeProcess(["host", "--listen", "127.0.0.1:0", "--name", "Ana"] + more + [film])
  }

  /// Opens a page, joins as Mia, and waits until her film can play.
  private func mia(
    at url: URL, of host: MatineeProcess, in kind: BrowserKind
  ) async throws -> PageGuest {
    let page = try await PageGuest(kind)
    try await page.open(url)
    try await page.join(as: "Mia")
    try await page.hasFilm()
    return page
  }

  /// The film in a form that browsers play.
  private func otherCopy() throws -> URL {
    let copy = try Clips.newFolder("copy").appendingPathComponent("copy.mp4")
    try Clips.ffmpeg([
      "-i", film, "-c:v", "copy", "-c:a", "aac", "-movflags", "+faststart", copy.path,
    ])
    return copy
  }

  private func entry(of name: String, in state: MatineeProcess.Event) -> [String: Any]? {
    state.roster.first { $0["name"] as? String == name }
  }

  /// Has the host seek while everyone is paused, and waits until the page shows its player's frame.
  private func expectSameFrame(
    _ page: PageGuest, _ host: MatineeProcess, after position: Double
  ) async throws {
    try host.send("seek \(position)")
    _ = try await host.state { abs(($0.number("playerPosition") ?? 0) - position) < 0.03 }
    try await expectSameFrame(page, host)
  }

  /// Waits until the page shows the frame at which the host's player is paused.
  private func expectSameFrame(
    _ page: PageGuest, _ host: MatineeProcess, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    // A player that has just paused reports a position of its sound, not yet that of its frame.
    let state = try await host.state {
      guard $0.string("status") == "paused", $0.flag("playerPaused") == true,
        let position = $0.number("playerPosition"), let group = $0.number("groupPosition")
      else { return false }
      let frames = position * 25
      return abs(frames - frames.rounded()) < 0.01 && abs(group - position) < 0.001
    }
    let position = try #require(state.number("playerPosition"))
    // The middle of a frame.
    try await page.browser.wait(
      until: "Math.abs((matinee.player.landed ?? 0) - \(position) - 0.02) < 0.015")
    let frame = try await page.frame()
    #expect(
      frame == Int((position * 25).rounded()) % 1024, "at \(position)", sourceLocation: location)
  }

  @Test(
    "The page joins from a file and from the relay, plays the host's copy in step, and pauses on the same frame",
    arguments: BrowserKind.wanted)
  func plays(kind: BrowserKind) async throws {
    let host = try host()
    _ = try await host.next("opened")
    let (file, links) = try await PageGuest.link(from: host)
    let page = try await mia(at: file, of: host, in: kind)
    let state = try await host.state { entry(of: "Mia", in: $0)?["item"] is String }
    let door = try #require(entry(of: "Mia", in: state)?["door"] as? [String: Any])
    #expect(door["kind"] as? String == "browser" && door["keeper"] as? String == "Ana")

    try host.send("play")
    try await page.browser.wait(until: "document.querySelector('video').currentTime > 2")
    _ = try await host.state { state in
      let mia = entry(of: "Mia", in: state)
      let upload = (mia?["door"] as? [String: Any])?["uploadMbps"] as? NSNumber
      return (mia?["syncErrorMs"] as? NSNumber).map { abs($0.doubleValue) < 40 } == true
        && (upload?.doubleValue ?? 0) > 0
    }
    try host.send("pause")
    try await expectSameFrame(page, host)

    // The page's own commands go through the group, and a place that it hasn't loaded is no other.
    try await page.browser.press(.right)
    _ = try await host.next("command") {
      $0.string("command") == "seek" && $0.string("by") == "Mia"
    }
    for position in [47.24, 12.6, 30.04] {
      try await expectSameFrame(page, host, after: position)
    }

    // The same page from the relay is another link, of another friend.
    let other = try await PageGuest(kind)
    try await other.open(try #require(links.first))
    try await other.reads("in use")
    let (_, second) = try await PageGuest.link(from: host)
    try await other.open(URL(string: "about:blank")!)
    try await other.open(try #require(second.first))
    try await other.join(as: "Zoe")
    try await other.hasFilm()
    _ = try await host.state { entry(of: "Zoe", in: $0)?["item"] is String }
  }

  @Test(
    "Chat and reactions go both ways, and rules and removals hold", arguments: BrowserKind.wanted)
  func takesPart(kind: BrowserKind) async throws {
    let host = try host()
    _ = try await host.next("opened")
    let (file, _) = try await PageGuest.link(from: host)
    let page = try await mia(at: file, of: host, in: kind)

    try host.send("chat <b>Welcome</b> & hello")
    try await page.reads("<b>Welcome</b> & hello")
    try await page.browser.click("#text")
    try await page.browser.type("Hi there")
    try await page.browser.press(.enter)
    _ = try await host.next("chat") {
      $0.string("text") == "Hi there" && $0.string("from") == "Mia"
    }
    try await page.use("document.activeElement.blur()")
    try await page.browser.click("#reactions button")
    _ = try await host.next("reaction") { $0.string("from") == "Mia" }
    try host.send("react fire")
    try await page.browser.wait(
      until: "document.querySelector('#rising').textContent.includes('🔥')")

    for (answer, outcome) in [(0, "No, 1 of 2"), (1, "Yes, 2 of 2")] {
      try host.send("seek 40")
      _ = try await host.state { abs(($0.number("groupPosition") ?? 0) - 40) < 0.1 }
      try host.send("vote rewind")
      try await page.browser.wait(
        until: "document.querySelector('#vote').checkVisibility() && "
          + "document.querySelector('#question').textContent === 'Ana asks: back by 30 s? Write yes or no.'"
      )
      try await page.browser.click("#vote [data-value='\(answer)']")
      try await page.reads("Ana's question, back by 30 s? \(outcome)")
      try await page.browser.wait(until: "document.querySelector('#vote').hidden")
      let vote = try await host.next("vote") { $0.flag("accepted") != nil }
      #expect(vote.flag("accepted") == (answer == 1))
    }
    _ = try await host.state { abs(($0.number("groupPosition") ?? 0) - 10) < 0.1 }
    // The end of the vote isn't the end of the film.
    try host.send("seek 30")
    try await page.browser.wait(until: "Math.abs((matinee.player.landed ?? 0) - 30) < 0.1")

    try host.send("control hosts")
    try await page.browser.wait(until: "matinee.state.party.mayControl === false")
    try await page.use("document.activeElement.blur()")
    try await page.browser.press(.space)
    try await page.reads("Only hosts control this party")
    #expect(host.history(of: "command").allSatisfy { $0.event.string("by") == "Ana" })

    try host.send("remove Mia")
    try await page.reads("removed you from the party")
    _ = try await host.state { entry(of: "Mia", in: $0) == nil }
    // The link is dead, also in another browser.
    let again = try await PageGuest(kind)
    try await again.open(file)
    try await again.browser.wait(until: "matinee.state.connection === 'offered'")
    try await again.browser.run("document.querySelector('#name').value = 'Mia'")
    try await again.browser.click("#join button.primary")
    try await again.reads("no longer")
    #expect(try await entry(of: "Mia", in: host.currentState()) == nil)
  }

  @Test(
    "When the keeper's program crashes, the page goes on through another one's door",
    arguments: BrowserKind.wanted)
  func moves(kind: BrowserKind) async throws {
    let host = try host()
    let invite = try #require(try await host.next("hosting").string("invite"))
    let ben = try MatineeProcess(["join", invite, "--name", "Ben", film])
    _ = try await host.next("invite") { $0.string("invite")?.contains(",") == true }
    let (file, _) = try await PageGuest.link(from: host)
    let page = try await mia(at: file, of: host, in: kind)
    _ = try await ben.state { entry(of: "Mia", in: $0)?["item"] is String }
    try await page.browser.wait(until: "matinee.state.party.relays.length > 1")
    try host.send("play")
    try await page.browser.wait(until: "document.querySelector('video').currentTime > 1")

    kill(host.id, SIGKILL)
    try await page.browser.wait(until: "matinee.state.keeper === 'Ben'")
    try await page.browser.wait(until: "matinee.state.error !== null")
    let played: Double = try await page.browser.evaluate(
      "document.querySelector('video').currentTime")
    let state = try await ben.state {
      (entry(of: "Mia", in: $0)?["door"] as? [String: Any])?["keeper"] as? String == "Ben"
    }
    try ben.send("chat still here?")
    try await page.reads("still here?")
    #expect(state.flag("playerPaused") == false)
    try await page.browser.wait(
      until: "document.querySelector('video').currentTime > \(played + 1)")
  }

  @Test(
    "A guest plays a copy of its own, and goes back to the host's", arguments: BrowserKind.wanted)
  func ownCopy(kind: BrowserKind) async throws {
    let host = try host()
    _ = try await host.next("opened")
    let (file, _) = try await PageGuest.link(from: host)
    let page = try await mia(at: file, of: host, in: kind)
    let copy = try otherCopy()

    try await page.browser.setFile("#file", copy)
    _ = try await host.state { entry(of: "Mia", in: $0)?["otherCopy"] as? Bool == true }
    try await page.browser.wait(until: "!matinee.film.isOpen()")
    try await expectSameFrame(page, host, after: 30.04)

    try await page.use(
      """
      document.querySelector('#copy').value = 'keeper'
      document.querySelector('#copy').dispatchEvent(new Event('change'))
      """)
    _ = try await host.state { entry(of: "Mia", in: $0)?["otherCopy"] as? Bool == false }
    try await page.browser.wait(until: "matinee.film.isOpen()")
    try await expectSameFrame(page, host)

    let text = copy.deletingLastPathComponent().appendingPathComponent("notes.mkv")
    try Data("no film".utf8).write(to: text)
    try await page.browser.setFile("#file", text)
    try await page.reads("can't be played here")
    try await expectSameFrame(page, host)
  }

  @Test(
    "The page plays a film from the web from there, and the next one from the host",
    arguments: BrowserKind.wanted)
  func webFilm(kind: BrowserKind) async throws {
    let server = try FilmServer(try otherCopy().path)
    let host = try MatineeProcess([
      "host", "--listen", "127.0.0.1:0", "--name", "Ana", server.url,
    ])
    _ = try await host.next("opened")
    let (file, _) = try await PageGuest.link(from: host)
    let page = try await mia(at: file, of: host, in: kind)
    try await page.browser.wait(
      until: "document.querySelector('video').src === '\(server.url)'")
    try host.send("play")
    _ = try await host.state {
      (entry(of: "Mia", in: $0)?["syncErrorMs"] as? NSNumber).map { abs($0.doubleValue) < 40 }
        == true
    }

    try host.send("load \(film) --for-everyone")
    _ = try await host.next("opened") { $0.string("title") == "numbered" }
    try await page.browser.wait(until: "matinee.film.isOpen()")
    try await expectSameFrame(page, host, after: 12.6)
  }

  @Test("Another terminal prints the party's invite, and makes a page for a friend")
  func otherTerminal() async throws {
    let home = try Clips.newFolder("home")
    let state = ["XDG_STATE_HOME": home.path]
    let host = try MatineeProcess(
      ["host", "--listen", "127.0.0.1:0", "--name", "Ana", film], environment: state)
    let invite = try #require(try await host.next("hosting").string("invite"))
    _ = try await host.next("opened")
    func matinee(_ arguments: String...) throws -> String {
      try ChildProcess.run(
        [MatineeProcess.executable.path] + arguments,
        environment: ProcessInfo.processInfo.environment.merging(state) { $1 })
    }
    // The party is remembered after the host has entered it.
    try await MatineeProcess.wait("no invite") { (try? matinee("invite")) == invite + "\n" }
    let file = home.appendingPathComponent("party.html")
    let words = try matinee("invite", "--page", file.path)
    #expect(words.contains(file.path))
    let page = try await PageGuest(.chromium)
    try await page.open(file)
    try await page.join(as: "Mia")
    _ = try await host.state { entry(of: "Mia", in: $0) != nil }
  }

  @Test("A link that nobody has used yet can be withdrawn, by its page or by its address")
  func withdrawn() async throws {
    let host = try host()
    _ = try await host.next("opened")
    let (file, _) = try await PageGuest.link(from: host)
    let (_, links) = try await PageGuest.link(from: host)
    let link = try #require(links.first)
    try host.send("remove \(file.path)")
    _ = try await host.next("rules")
    try host.send("remove \(link.absoluteString)")
    _ = try await host.next("rules")
    let page = try await PageGuest(.chromium)
    for url in [file, link] {
      try await page.open(url)
      try await page.join(as: "Mia", expecting: "over")
      try await page.reads("This link no longer works")
    }
  }

  @Test("Bad links are explained", arguments: BrowserKind.wanted)
  func badLinks(kind: BrowserKind) async throws {
    let host = try host()
    _ = try await host.next("opened")
    let (_, links) = try await PageGuest.link(from: host)
    let link = try #require(links.first?.absoluteString)
    let page = try await PageGuest(kind)
    try await page.open(try #require(URL(string: "\(link.dropLast(20))")))
    try await page.reads("link")
    try await page.open(URL(string: "about:blank")!)
    let changed = link.dropLast() + (link.hasSuffix("A") ? "g" : "A")
    try await page.open(try #require(URL(string: String(changed))))
    try await page.browser.wait(
      until: "['nobody', 'unreachable'].includes(matinee.state.connection)")

    let (file, _) = try await PageGuest.link(from: host)
    try host.send("quit")
    _ = try await host.exitCode()
    try await page.open(file)
    try await page.reads("can't be reached")
  }
}
