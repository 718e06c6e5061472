import BrowserTesting
import Foundation
import ProcessTesting
import Testing

/// The remote controls themselves, against a page whose behaviour is known.
@Suite("Browsers under remote control", .serialized) struct BrowserHarnessTests {
  private static let page = """
    <!doctype html><meta charset="utf-8"><title>Page</title>
    <meta http-equiv="Content-Security-Policy"
      content="default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; media-src file:">
    <style>body { margin: 0; background: rgb(10, 200, 30) } button { margin: 400px 20px }</style>
    <button>Play</button><input id="file" type="file"><input id="text"><video src="film.mp4" loop></video>
    <script>
      const video = document.querySelector("video"), text = document.querySelector("#text")
      window.keys = []
      document.querySelector("button").onclick = async event => {
        window.clicked = event.isTrusted
        await video.play()
        window.playing = true
      }
      text.onkeydown = event => keys.push((event.shiftKey ? "Shift " : "") + event.key)
    </script>
    """

  /// Makes a folder with the page and a film that can be heard.
  private static func folder() throws -> URL {
    let folder = try URL.newFolder("page")
    try page.write(
      to: folder.appendingPathComponent("page.html"), atomically: true, encoding: .utf8)
    try SharedFilm.make(folder.appendingPathComponent("film.mp4"), named: "tone.mp4") { path in
      try ChildProcess.run([
        "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i", "testsrc2=size=160x90:rate=25",
        "-f", "lavfi", "-i", "sine", "-t", "5", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a",
        "aac", "-movflags", "+faststart", path,
      ])
    }
    return folder
  }

  @Test("A page is opened, used as by a person, and looked at", arguments: BrowserKind.wanted)
  func used(kind: BrowserKind) async throws {
    let folder = try Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let browser = try await kind.start()
    try await browser.open(folder.appendingPathComponent("page.html"))

    #expect(try await browser.evaluate("document.title") == "Page")
    #expect(
      try await browser.evaluate("new Promise(done => setTimeout(() => done([1, null]), 10))") == [
        1, nil,
      ])
    await #expect(throws: BrowserFailure.self) { try await browser.run("nothing.here") }

    // The default policy: only a user's gesture lets a page be heard.
    #expect(
      try await browser.evaluate(
        "document.querySelector('video').play().then(() => 'played', error => error.name)")
        == "NotAllowedError")
    try await browser.click("button")
    try await browser.wait(until: "playing && document.querySelector('video').currentTime > 0.2")
    #expect(try await browser.evaluate("clicked"))

    try await browser.setFile("#file", folder.appendingPathComponent("film.mp4"))
    try await browser.wait(until: "document.querySelector('#file').files[0]?.name === 'film.mp4'")

    try await browser.click("#text")
    try await browser.type("Hé")
    try await browser.press(.left)
    try await browser.press(Key("X"), holding: [.shift])
    #expect(
      try await browser.evaluate("keys") == ["H", "é", "ArrowLeft", "Shift Shift", "Shift X"])
    #expect(try await browser.evaluate("document.querySelector('#text').value") != "Hé")

    try await browser.setSize(width: 360, height: 640)
    #expect(try await browser.evaluate("[innerWidth, innerHeight]") == [360, 640])
    let picture = try await browser.screenshot()
    #expect(picture.prefix(8).elementsEqual([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
    // The size, in the header.
    #expect(picture.dropFirst(16).prefix(8).elementsEqual([0, 0, 1, 104, 0, 0, 2, 128]))

    try await browser.reload()
    #expect(
      try await browser.evaluate(
        "window.clicked === undefined && document.readyState === 'complete'"))
  }

  @Test(
    "Messages of the page are kept, and a wait that fails names them", arguments: BrowserKind.wanted
  )
  func messages(kind: BrowserKind) async throws {
    let folder = try URL.newFolder("page")
    defer { try? FileManager.default.removeItem(at: folder) }
    let page = folder.appendingPathComponent("page.html")
    try "<script>console.error('a word'); setTimeout(() => { throw Error('thrown') })</script>"
      .write(to: page, atomically: true, encoding: .utf8)
    let browser = try await kind.start()
    try await browser.open(page)
    while !(browser.messages.contains { $0.contains("thrown") }) {
      try await Task.sleep(for: .milliseconds(20))
    }
    let failure = await #expect(throws: BrowserFailure.self) {
      try await browser.wait(until: "window.never", within: .milliseconds(50))
    }
    #expect(failure?.description.contains("a word") == true)
    #expect(failure?.description.contains("window.never") == true)
  }

  @Test(
    "A browser that ends makes requests fail, and leaves no folder behind",
    arguments: BrowserKind.wanted)
  func ended(kind: BrowserKind) async throws {
    let home = try URL.newFolder("home")
    defer { try? FileManager.default.removeItem(at: home) }
    do {
      let browser = try await kind.start(environment: ["MARK": home.path])
      #expect(try await browser.evaluate("1 + 1") == 2)
      #expect(try Self.count(of: home.path) > 0)
    }
    // The processes of its pages end by themselves.
    let end = ContinuousClock.now + .seconds(60)
    while try Self.count(of: home.path) > 0, .now < end {
      try await Task.sleep(for: .milliseconds(20))
    }
    #expect(try Self.count(of: home.path) == 0)
  }

  /// Returns how many processes have a text in their environment.
  private static func count(of text: String) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.filter {
      (try? Data(contentsOf: URL(fileURLWithPath: "/proc/\($0)/environ")))?
        .firstRange(of: Data(text.utf8)) != nil
    }.count
  }
}
