import Foundation
import Testing

/// Films of many kinds, as people have them. Two participants watch each of them from beginning to end, and plain mpv
/// is asked for the same positions. `make test-zoo` tries all of them, and prints the figures.
@Suite("A zoo of films, end to end", .serialized)
struct ZooTests {
  @Test("Containers", ZooSelection.onlyWhole, arguments: ZooFilm.selection(of: ZooFilm.containers))
  func containers(film: ZooFilm) async throws { try await watch(film) }

  @Test("Coders", arguments: ZooFilm.selection(of: ZooFilm.coders, briefly: ["AAC 7.1"]))
  func coders(film: ZooFilm) async throws { try await watch(film) }

  @Test(
    "Sounds without a picture", ZooSelection.onlyWhole,
    arguments: ZooFilm.selection(of: ZooFilm.sounds))
  func sounds(film: ZooFilm) async throws { try await watch(film) }

  @Test(
    "Rhythms and forms", ZooSelection.onlyWhole, arguments: ZooFilm.selection(of: ZooFilm.forms))
  func forms(film: ZooFilm) async throws { try await watch(film) }

  @Test(
    "Lengths that no header says",
    arguments: ZooFilm.selection(
      of: ZooFilm.lengths, briefly: ["mkv from a pipe", "one picture with sound"]))
  func lengths(film: ZooFilm) async throws { try await watch(film) }

  @Test("Servers", ZooSelection.onlyWhole, arguments: ZooFilm.selection(of: ZooFilm.served))
  func served(film: ZooFilm) async throws {
    let folder = URL(fileURLWithPath: try film.made()).deletingLastPathComponent()
    let server = try await NginxServer(
      folder, locations: film.source == .serverWithoutRanges ? "max_ranges 0;" : "")
    try await watch(film, at: server.url(film.file))
  }

  @Test(
    "A copy that breaks off while it is watched ends for its participant only, who can go back",
    arguments: ZooFilm.selection(of: [.breakingOff], briefly: [ZooFilm.breakingOff.name]))
  func brokenCopy(film: ZooFilm) async throws {
    var figures = ZooFigures(film.name)
    defer { figures.write() }
    let film = try film.made()
    let copy = Clips.folder.appendingPathComponent("copy-\(UUID().uuidString).mp4")
    try FileManager.default.copyItem(atPath: film, toPath: copy.path)
    let party = try await ZooParty(film, copy: copy.path)
    let (ana, ben) = (party.ana, party.ben)
    try await party.play()
    let file = try FileHandle(forWritingTo: copy)
    try file.truncate(atOffset: file.seekToEnd() / 2)
    try ana.send("seek 18")
    _ = try await ben.state { _ in
      !ben.history(of: "warning").isEmpty || !ben.history(of: "error").isEmpty
    }
    _ = try await ana.state { ZooParty.isInStep($0) && $0.number("playerPosition") ?? 0 > 18.5 }
    try ana.send("seek 3")
    for one in [ana, ben] {
      _ = try await one.state { ZooParty.isInStep($0) && $0.number("playerPosition") ?? 10 < 10 }
    }
    try ana.send("seek 22")
    _ = try await ana.next("end-of-film")
    #expect(ana.history(of: "command").allSatisfy { $0.event.string("by") == "Ana" })
    #expect(ana.history(of: "end-of-film").count == 1)
    try await party.quit()
    figures.add("complete")
  }

  /// - Parameter url: where the film is; nil for the file.
  private func watch(_ film: ZooFilm, at url: String? = nil) async throws {
    let path = try url ?? film.made()
    var figures = ZooFigures(film.name)
    defer { figures.write() }
    let party = try await ZooParty(path)
    if film.isLong { try await together(film, party, &figures) }
    try await seeks(film, party, path, &figures)
    if film.isLong {
      try await fast(film, party, &figures)
      try await late(film, party, &figures)
    }
    if let jump = film.jump { try await cross(jump, party, &figures) }
    try await end(film, party, &figures)
    // Nobody is told anything false, and nothing moves the party but its users.
    for one in party.everybody where !film.isCutOff {
      let words = (one.history(of: "warning") + one.history(of: "error"))
        .compactMap { $0.event.string("message") }
      #expect(film.mayRefuseSeeks || words.isEmpty, "\(words)")
    }
    try await party.quit()
    figures.add("complete")
  }

  /// Both start together, go to another position while they play, and pause on one frame.
  private func together(
    _ film: ZooFilm, _ party: ZooParty, _ figures: inout ZooFigures
  ) async throws {
    try await party.play()
    let start = try await party.read()
    figures.add("start", start)
    #expect(start.isTogether(at: 1), "\(start)")

    if !film.mayRefuseSeeks {
      let target = film.middle
      try party.ana.send("seek \(target)")
      for one in party.everybody {
        _ = try await one.state {
          ZooParty.isInStep($0) && $0.number("playerPosition") ?? 0 > target - 0.1
        }
      }
      let sought = try await party.read()
      figures.add("after a seek", sought)
      #expect(sought.isTogether(at: 1), "\(sought)")
    }

    let before = try await party.positions()
    let paused = try await party.pause(by: party.ben, within: film.near)
    figures.add("paused at", paused, "s")
    #expect(paused.count == 2 && abs(paused[0] - paused[1]) < film.near)
    #expect(paused.last ?? 0 > before[1] - max(0.25, film.frame), "nobody hears anything twice")
  }

  /// Both land where plain mpv does, or nearer to where they were sent.
  private func seeks(
    _ film: ZooFilm, _ party: ZooParty, _ path: String, _ figures: inout ZooFigures
  ) async throws {
    let landings = try await PlainMPV.landings(in: path, at: film.targets)
    for (target, landing) in zip(film.targets, landings) {
      let far = film.frame + 0.005
      let isThere: @Sendable (Double) -> Bool = { position in
        abs(position - target) <= far || landing.map { abs(position - $0) <= far } == true
      }
      if film.mayRefuseSeeks {
        let before = try await party.positions()
        try party.ana.send("seek \(target)")
        let answer = try await party.ana.state { state in
          state.number("playerPosition").map(isThere) == true || isRefused(party)
        }
        figures.add(
          "seek \(target): mpv, Ana", [landing ?? .nan, answer.number("playerPosition") ?? .nan],
          "s")
        if isRefused(party) {
          #expect(try await party.positions() == before)
        } else {
          _ = try await party.ben.state { $0.number("playerPosition").map(isThere) == true }
        }
        continue
      }
      let places = try await party.seek(to: target, by: party.ben, isThere: isThere)
      figures.add("seek \(target): mpv, Ana, Ben", [landing ?? .nan] + places, "s")
      #expect(places.allSatisfy(isThere) && abs(places[0] - places[1]) <= far)
    }
  }

  private func isRefused(_ party: ZooParty) -> Bool {
    !party.ana.history(of: "error").isEmpty || !party.ana.history(of: "notice").isEmpty
  }

  /// At one and a half times the speed that is the speed, and both are together.
  private func fast(
    _ film: ZooFilm, _ party: ZooParty, _ figures: inout ZooFigures
  ) async throws {
    try party.ben.send("rate 1.5")
    for one in party.everybody { _ = try await one.state { $0.number("rate") == 1.5 } }
    try await party.play()
    let reading = try await party.read(at: 1.5)
    figures.add("speed", reading.speeds, "")
    figures.add("then", reading)
    #expect(reading.isTogether(at: 1.5), "\(reading)")
    try party.ana.send("rate 1")
    if !film.mayRefuseSeeks { try party.ana.send("seek 1") }
    for one in party.everybody {
      _ = try await one.state {
        ZooParty.isInStep($0) && $0.number("rate") == 1
          && (film.mayRefuseSeeks || $0.number("playerPosition") ?? .infinity < 6)
      }
    }
  }

  /// A late joiner comes to where the others are.
  private func late(
    _ film: ZooFilm, _ party: ZooParty, _ figures: inout ZooFigures
  ) async throws {
    let reading = try await party.lateJoiner(mayBeApart: film.mayRefuseSeeks)
    figures.add("with a late joiner", reading)
    #expect(reading.isTogether(at: 1), "\(reading)")
  }

  /// A jump is crossed as plain mpv crosses it: at once, and together.
  private func cross(
    _ jump: ZooFilm.Jump, _ party: ZooParty, _ figures: inout ZooFigures
  ) async throws {
    _ = try await party.pause(by: party.ana, within: 0.02)
    let target = jump.from - 2
    _ = try await party.seek(to: target, by: party.ana) { abs($0 - target) < 0.1 }
    let began = try await party.ana.currentState().number("groupTime")!
    try party.ana.send("play")
    for one in party.everybody {
      let beyond = try await one.state {
        ZooParty.isInStep($0) && $0.number("playerPosition").map(jump.isCrossed) == true
      }
      let seconds = beyond.number("groupTime")! - began
      figures.add("2 s and the jump take", [seconds], "s")
      // With the start; whoever waits for the line to come through the jump takes 20 s or more.
      #expect(seconds < 12)
    }
    let reading = try await party.read()
    figures.add("then", reading)
    #expect(reading.isTogether(at: 1), "\(reading)")
  }

  /// The film ends once for each, and then goes on from anywhere.
  private func end(
    _ film: ZooFilm, _ party: ZooParty, _ figures: inout ZooFigures
  ) async throws {
    if film.isLong, !film.mayRefuseSeeks { try party.ana.send("seek \(film.approach)") }
    try party.ana.send("play")
    for one in party.everybody {
      // Whoever has a cut off copy is told that instead, since others may have more.
      _ = try await one.state { _ in
        !one.history(of: "end-of-film").isEmpty
          || film.isCutOff && !one.history(of: "warning").isEmpty
      }
    }
    if !film.mayRefuseSeeks {
      let early = film.targets.last!
      _ = try await party.seek(to: early, by: party.ben) { abs($0 - early) < 3 }
    }
    let ends = party.everybody.map { $0.history(of: "end-of-film").count }
    figures.add("ends", ends.map(Double.init), "")
    #expect(ends == [1, 1] || film.isCutOff && ends.allSatisfy { $0 <= 1 })
  }
}

/// What was measured with one film, as a line of `make test-zoo`.
struct ZooFigures {
  private var parts: [String] = []
  private let name: String

  init(_ name: String) { self.name = name }

  mutating func add(_ words: String, _ values: [Double] = [], _ unit: String = "") {
    let format = unit == "s" ? "%.3f" : "%.4g"
    let numbers = values.map { String(format: format, $0) }.joined(separator: " ")
    parts.append([words, numbers, unit].filter { !$0.isEmpty }.joined(separator: " "))
  }

  mutating func add(_ words: String, _ reading: ZooParty.Reading) {
    add(words, reading.distances + [reading.apart], "ms")
  }

  /// Appends the line to the file that `ZOO` names.
  func write() {
    guard let path = ProcessInfo.processInfo.environment["ZOO"], let file = fopen(path, "a") else {
      return
    }
    fputs("\(name): \(parts.joined(separator: "; "))\n", file)
    fclose(file)
  }
}
