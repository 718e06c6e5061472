import ProcessTesting
import Testing

@testable import Doctor

@Suite("The doctor's report on the installation")
struct InstallationCheckTests {
  private static let installed = [
    "/usr/local/bin/matinee", "/usr/local/share/man/man1/matinee.1",
    "/usr/local/share/man/man1/matinee-relay.1", "/usr/local/share/man/man5/matinee.5",
    "/usr/local/share/man/man7/matinee-party.7", "/usr/local/share/man/man7/matinee-headless.7",
    "/usr/local/share/bash-completion/completions/matinee",
    "/usr/local/share/zsh/site-functions/_matinee",
    "/usr/local/share/fish/vendor_completions.d/matinee.fish",
    "/usr/local/share/applications/matinee.desktop",
    "/usr/share/bash-completion/bash_completion", "/run/systemd/system",
    "/usr/local/share/systemd/user/matinee-relay.service",
  ]
  private static let cache = "/usr/local/share/applications/mimeinfo.cache"
  private static let handler = "[MIME Cache]\nx-scheme-handler/matinee=matinee.desktop;\n"

  private func findings(
    without missing: String = "", shell: String = "/bin/bash", home: String = "/home/a",
    files: [String: String] = [cache: handler]
  ) -> [DoctorFinding] {
    let there = Set(Self.installed).subtracting([missing]).union(files.keys)
    return InstallationCheck(
      environment: ["PATH": "/usr/local/bin:/usr/bin", "HOME": home, "SHELL": shell],
      exists: { there.contains($0) }, read: { files[$0] }
    ).findings
  }

  @Test(
    "A complete installation has no problem",
    arguments: ["/bin/bash", "/usr/bin/zsh", "/usr/bin/fish"])
  func complete(shell: String) {
    let found = findings(shell: shell)
    #expect(found.map(\.grade) == [.good, .good, .good, .good, .good])
  }

  @Test("A program that isn't in PATH is reported only as not installed")
  func notInstalled() {
    let found = findings(without: "/usr/local/bin/matinee")
    #expect(found.map(\.subject) == ["installed"])
    #expect(found[0].grade == .notice)
  }

  @Test(
    "A missing part is named, with its fix",
    arguments: [
      ("/usr/local/share/man/man5/matinee.5", "manual", "matinee.5"),
      ("/usr/local/share/man/man7/matinee-headless.7", "manual", "matinee-headless.7"),
      ("/usr/local/share/bash-completion/completions/matinee", "bash", "reinstall"),
      ("/usr/share/bash-completion/bash_completion", "bash", "apt install bash-completion"),
      ("/usr/local/share/applications/matinee.desktop", "invites", "matinee.desktop"),
      ("/usr/local/share/systemd/user/matinee-relay.service", "service", "reinstall"),
    ])
  func missing(path: String, subject: String, advice: String) throws {
    let bad = findings(without: path).filter { $0.grade != .good }
    #expect(bad.map(\.subject) == [subject])
    #expect(try #require(bad.first).text.contains(advice))
  }

  @Test("Every page of the manual is checked")
  func pages() throws {
    let check = InstallationCheck(
      environment: ["PATH": "/usr/bin"], exists: { $0 == "/usr/bin/matinee" }, read: { _ in nil })
    let missing = try #require(check.findings.first { $0.subject == "manual" }).text
    for page in try ManualPage.all() {
      #expect(missing.contains(page.fileName), "\(page.fileName)")
    }
  }

  @Test("A desktop that doesn't know the program yet, or prefers another one, is reported")
  func handlers() {
    let unknown = findings(files: [:]).first { $0.subject == "invites" }
    #expect(unknown?.text.contains("update-desktop-database /usr/local/share/applications") == true)
    let mine = "/home/a/.config/mimeapps.list"
    let list = "[Added Associations]\nx-scheme-handler/matinee=x.desktop\n[Default Applications]\n"
    let other = findings(files: [mine: list + "x-scheme-handler/matinee=other.desktop\n"])
      .first { $0.subject == "invites" }
    #expect(
      other?.text.hasPrefix("other.desktop opens them; to change it: xdg-mime default") == true)
    let chosen = findings(files: [mine: list + "x-scheme-handler/matinee=matinee.desktop;\n"])
      .first { $0.subject == "invites" }
    #expect(chosen?.grade == .good)
  }

  @Test("zsh doesn't search the home folder by default")
  func zshAtHome() {
    let found = findings(
      without: "/usr/local/share/zsh/site-functions/_matinee", shell: "/bin/zsh",
      files: [
        "/home/a/.local/share/zsh/site-functions/_matinee": "", Self.cache: Self.handler,
      ])
    #expect(found.contains { $0.subject == "zsh" && $0.text.contains("fpath") })
  }

  @Test(
    "The session bus's address is parsed",
    arguments: [
      ("unix:path=/run/user/1000/bus", "/run/user/1000/bus"),
      ("tcp:host=h;unix:guid=1,path=/a%20b", "/a b"), ("unix:abstract=/x", nil),
    ])
  func bus(address: String, path: String?) {
    #expect(SessionBusAddress.path(address) == path)
  }
}
