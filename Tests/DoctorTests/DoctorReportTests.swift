import Testing

@testable import Doctor
@testable import MPVPlayer
@testable import TerminalUI

@Suite("The report of doctor")
struct DoctorReportTests {
  private func report(ending: [Int: [DoctorFinding]]) -> DoctorReport {
    var report = DoctorReport([
      ("terminal", "Asking the terminal…"), ("relay", "Opening a party…"),
      ("router", "Asking the router…"),
    ])
    for (index, findings) in ending.sorted(by: { $0.key < $1.key }) {
      report.checkEnded(index, findings)
    }
    return report
  }

  private let plain = DoctorReport.Style()

  @Test("A finding is shown as soon as its check is over, and the others show their progress")
  func running() {
    let report = report(ending: [1: [.good("relay", "works"), .good("clock", "±0.1 ms")]])
    #expect(
      report.lines(plain) == [
        "Checking this system… (1 of 3)",
        "",
        "…     terminal    Asking the terminal…",
        "ok    relay       works",
        "ok    clock       ±0.1 ms",
        "…     router      Asking the router…",
      ])
  }

  @Test("The summary comes first, with the names of the failed checks")
  func summary() {
    let good = DoctorFinding.good("terminal", "xterm")
    #expect(
      report(ending: [0: [good], 1: [good], 2: [good]]).summary == "Matinee works on this system.")
    let noted = report(ending: [0: [good], 1: [good], 2: [.notice("router", "none")]])
    #expect(noted.lines(plain)[0] == "Everything needed is there; 1 note below.")
    #expect(!noted.hasFailure)
    let bad = report(ending: [
      0: [.notice("terminal", "x")], 1: [.bad("relay", "x")], 2: [.notice("router", "x")],
    ])
    #expect(bad.summary == "1 problem: relay; 2 notes below.")
    #expect(bad.hasFailure)
  }

  @Test("Long texts are wrapped to the terminal's width, in their own column", arguments: 20..<100)
  func wrapping(columns: Int) {
    let text = "forward TCP port 62846 to 192.0.2.2 on your router, or use a relay"
    let lines = DoctorFinding.notice("router", text).lines(.init(columns: columns))
    #expect(lines.allSatisfy { $0.count <= columns }, "\(lines)")
    #expect(
      lines.joined(separator: " ").split(separator: " ").suffix(13).joined(separator: " ") == text)
    if columns >= 42 {
      #expect(lines.dropFirst().allSatisfy { $0.hasPrefix(String(repeating: " ", count: 18)) })
    }
    let whole = DoctorFinding.notice("router", text).lines(plain)
    #expect(whole == ["note  router      \(text)"])
  }

  @Test("Colour marks the grade, if it is wanted")
  func color() {
    let report = report(ending: [
      0: [.good("terminal", "a")], 1: [.bad("relay", "b")], 2: [.notice("router", "c")],
    ])
    #expect(
      report.lines(.init(hasColor: true)) == [
        "\u{1B}[1;31m1 problem: relay; 1 note below.\u{1B}[m", "",
        "\u{1B}[32mok    \u{1B}[mterminal    a",
        "\u{1B}[31mFAIL  \u{1B}[mrelay       b",
        "\u{1B}[33mnote  \u{1B}[mrouter      c",
      ])
    #expect(!report.lines(plain).joined().contains("\u{1B}"))
  }

  @Test(
    "Lines are replaced in place, within the terminal's height; the last time all are drawn"
  )
  func live() {
    var text = LiveText()
    #expect(text.replace(with: ["a", "b", "c"], rows: 3) == "\r\u{1B}[Ja\nb\n")
    #expect(text.replace(with: ["d"], rows: 3) == "\u{1B}[2A\r\u{1B}[Jd\n")
    #expect(
      text.replace(with: ["e", "f", "g"], rows: 3, isFinal: true)
        == "\u{1B}[1A\r\u{1B}[Je\nf\ng\n")
  }

  @Test("A pipe gets the report at once, and a terminal without a cursor gets it line by line")
  func manner() {
    #expect(DoctorOutput.Manner(isTerminal: false, type: "xterm") == .atOnce)
    #expect(DoctorOutput.Manner(isTerminal: true, type: "dumb") == .appending)
    #expect(DoctorOutput.Manner(isTerminal: true, type: nil) == .appending)
    #expect(DoctorOutput.Manner(isTerminal: true, type: "xterm") == .live)
  }
}

@Suite("The abilities of the terminal and the sound, in doctor")
struct DoctorAbilitiesTests {
  private func abilities(_ answers: String?) -> TerminalAbilities {
    TerminalAbilities(
      type: "xterm", colors: 256, hasDirectColor: false, isColorUnwanted: false, isUnicode: true,
      answers: answers.map { TerminalAbilities.Answers(parsing: Array($0.utf8)) })
  }

  @Test("The answers of a terminal are parsed, also with keys between them")
  func answers() {
    let kitty = TerminalAbilities.Answers(
      parsing: Array(
        "x\u{1B}P1$r0;48:2:1:2:3m\u{1B}\\\u{1B}_Gi=7300000;OK\u{1B}\\q\u{1B}P1+r4d73=5C45\u{1B}\\\u{1B}[?62;52;c"
          .utf8))
    #expect(kitty.hasDirectColor && kitty.hasKittyGraphics && kitty.acceptsClipboard)
    #expect(!kitty.hasSixel && !kitty.hasOctants && kitty.isComplete)
    let xterm = TerminalAbilities.Answers(
      parsing: Array("\u{1B}P0$r\u{1B}\\\u{1B}P0+r4d73\u{1B}\\\u{1B}[?64;1;4;22c".utf8))
    #expect(xterm.hasSixel && xterm.isComplete)
    #expect(!xterm.hasKittyGraphics && !xterm.acceptsClipboard && !xterm.hasDirectColor)
    #expect(!TerminalAbilities.Answers(parsing: Array("\u{1B}[?62;4".utf8)).isComplete)
    let foot = TerminalAbilities.Answers(
      parsing: Array("\u{1B}P>|foot(1.21.0)\u{1B}\\\u{1B}[?62;4;22c".utf8))
    #expect(foot.hasOctants && foot.hasSixel)
  }

  @Test("Colours, graphics and the clipboard are reported as the terminal has them")
  func findings() {
    func texts(_ abilities: TerminalAbilities, _ environment: [String: String] = [:]) -> [String] {
      (DoctorCheck.findings(of: abilities, environment)
        + [DoctorCheck.clipboard(abilities, environment)]).map(\.text)
    }
    var kitty = abilities("\u{1B}_Gi=7300000;OK\u{1B}\\\u{1B}[?62;4;52c")
    kitty.hasDirectColor = true
    #expect(
      texts(kitty) == [
        "xterm, UTF-8", "24-bit (true colour)", "kitty, sixel", "the terminal's (OSC 52)",
      ])
    var plain = abilities(nil)
    plain.colors = 8
    #expect(
      texts(plain, ["TMUX": "/tmp/x"]) == [
        "xterm, in tmux, UTF-8", "only 8; try TERM=xterm-256color",
        "none through tmux; films are drawn with characters. With kitty, try: set -g allow-passthrough on",
        "the terminal doesn't say whether programs may set it (OSC 52); tmux needs: set -g set-clipboard on",
      ])
    #expect(texts(kitty, ["TMUX": "/tmp/x"])[2] == "kitty, through tmux")
    plain.isColorUnwanted = true
    #expect(texts(plain)[1] == "off, because NO_COLOR is set")
  }

  @Test("The audio device is named with its latency, and a missing device is reported")
  func sound() {
    let latency = SoundServer.Latency(microseconds: 23_400)
    #expect(
      DoctorCheck.finding(.device(driver: "pulse", name: "Headset"), latency)
        == .good("audio", "pulse, Headset, latency 23 ms"))
    #expect(
      DoctorCheck.finding(.missing, nil)
        == .notice("audio", "no audio device; films play without audio"))
    #expect(DoctorCheck.finding(nil, nil).grade == .notice)
    #expect(
      DoctorCheck.advice(forKernel: "5.15.153.1-microsoft-standard-WSL2")?.grade == .notice)
    #expect(DoctorCheck.advice(forKernel: "6.1.0-37-amd64") == nil)
  }

  @Test("The latency of the sound server is that of its default device")
  func latency() {
    let sinks = """
      Sink #1
      \tName: alsa_output.hdmi
      \tLatency: 0 usec, configured 0 usec
      Sink #2
      \tName: bluez_output.1
      \tLatency: 0 usec, configured 25000 usec
      Sink #3
      \tName: usb
      \tLatency: 12300 usec, configured 20000 usec
      """
    #expect(SoundServer.latency(ofSink: "usb", in: sinks)?.description == "12 ms")
    #expect(SoundServer.latency(ofSink: "bluez_output.1", in: sinks)?.microseconds == 25_000)
    #expect(SoundServer.latency(ofSink: "alsa_output.hdmi", in: sinks) == nil)
    #expect(SoundServer.latency(ofSink: "other", in: sinks) == nil)
  }

  @Test("The mpv configuration has a finding for each part")
  func configuration() {
    var report = ConfigurationReport()
    #expect(report.findings == [.good("mpv.conf", "no problems")])
    report.logged("Error parsing option a (option not found)\n", .error, prefix: "cplayer")
    report.logged("/h/mpv.conf:3: setting option a='1' failed.\n", .error, prefix: "cplayer")
    report.logged("Lua error: boom\n", .fatal, prefix: "own")
    report.logged("Setting option 'speed' = '2' (flags = 4)\n", .other, prefix: "cplayer")
    #expect(
      report.findings.map(\.text) == [
        "/h/mpv.conf:3: a=1 (option not found)", "own: Lua error: boom",
        "no effect here, since Matinee sets them: speed",
      ])
  }
}
