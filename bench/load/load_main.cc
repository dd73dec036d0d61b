// Load for an API server over HTTP/1.1 and TLS, from one thread: what `make bench` measures with. Prints one JSON
// object.
//
//   load create  HOST:PORT TOKEN PREFIX CONNECTIONS SECONDS BYTES     POST ConfigMaps of BYTES in namespace default
//   load fill    HOST:PORT TOKEN PREFIX CONNECTIONS COUNT BYTES       the same, so many
//   load get     HOST:PORT TOKEN PATH   CONNECTIONS SECONDS [ACCEPT]  GET the path again and again; bytes are counted
//   load send    HOST:PORT TOKEN PATH   CONNECTIONS SECONDS METHOD MEDIA STATUS   the body that standard input has, to
//   PATH; "@n" in either is the number of the request, "@c" that of the connection
//   load watch   HOST:PORT TOKEN PATH   WATCHERS WRITES BYTES [RATE]  watches on PATH, then ConfigMaps in namespace
//                default, RATE a second, one after the other; without a rate each follows the last one's answer
//   load idle    HOST:PORT TOKEN PATH   WATCHERS                      watches until standard input ends
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Die(const std::string& why) {
  std::fprintf(stderr, "load: %s\n", why.c_str());
  std::exit(1);
}

struct Target {
  std::string host, token;
  int port = 0;
};

// One TLS connection, non-blocking. Sends one request at a time; either reads whole answers or streams.
class Connection {
 public:
  Connection(SSL_CTX* context, const Target& target) : tls_(SSL_new(context)) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int one = 1;
    setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(target.port));
    inet_pton(AF_INET, target.host.c_str(), &address.sin_addr);
    if (connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0) Die(std::strerror(errno));
    SSL_set_fd(tls_, fd_);
    if (SSL_connect(tls_) != 1) Die("no TLS");
    fcntl(fd_, F_SETFL, O_NONBLOCK);
  }
  ~Connection() {
    SSL_free(tls_);
    close(fd_);
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int fd() const { return fd_; }

  void Send(std::string request) {
    out_ = std::move(request);
    sent_ = Clock::now();
    Flush();
  }
  void Flush() {
    while (!out_.empty()) {
      int wrote = SSL_write(tls_, out_.data(), static_cast<int>(out_.size()));
      if (wrote <= 0) return;
      out_.erase(0, static_cast<size_t>(wrote));
    }
  }

  // Reads what is there; calls `take` with each piece. False when the connection ended.
  bool Read(const std::function<void(std::string_view)>& take) {
    static char buffer[1 << 17];
    while (true) {
      int got = SSL_read(tls_, buffer, sizeof(buffer));
      if (got > 0) {
        take({buffer, static_cast<size_t>(got)});
        if (SSL_has_pending(tls_) == 0) return true;  // what comes later is told: no system call to see that it did not
        continue;
      }
      return SSL_get_error(tls_, got) == SSL_ERROR_WANT_READ;
    }
  }

  // Reads towards the end of one answer; true when it is whole. Bodies are counted and dropped.
  bool ReadAnswer() {
    bool alive = Read([this](std::string_view piece) { Take(piece); });
    if (!alive) Die("the server closed a connection");
    return done_;
  }
  void Begin() { head_.clear(), in_head_ = true, done_ = false, left_ = 0, chunked_ = false, tail_.clear(); }

  int status() const { return status_; }
  uint64_t bytes() const { return bytes_; }
  Clock::time_point sent() const { return sent_; }

 private:
  void Take(std::string_view piece) {
    bytes_ += piece.size();
    if (in_head_) {
      head_.append(piece);
      size_t end = head_.find("\r\n\r\n");
      if (end == std::string::npos) return;
      std::string body = head_.substr(end + 4);
      head_.resize(end);
      in_head_ = false;
      status_ = std::atoi(head_.c_str() + 9);
      chunked_ = head_.find("ransfer-Encoding: chunked") != std::string::npos;
      size_t length = head_.find("ontent-Length: ");
      left_ = length == std::string::npos ? 0 : std::strtoull(head_.c_str() + length + 15, nullptr, 10);
      TakeBody(body);
      return;
    }
    TakeBody(piece);
  }
  void TakeBody(std::string_view piece) {
    if (!chunked_) {
      left_ -= std::min<uint64_t>(left_, piece.size());
      done_ = left_ == 0;
      return;
    }
    tail_.append(piece.substr(piece.size() > 8 ? piece.size() - 8 : 0));
    done_ = tail_.ends_with("\r\n0\r\n\r\n");
    if (tail_.size() > 8) tail_.erase(0, tail_.size() - 8);
  }

  SSL* tls_;
  int fd_ = -1;
  std::string out_, head_, tail_;
  Clock::time_point sent_;
  bool in_head_ = true, done_ = false, chunked_ = false;
  int status_ = 0;
  uint64_t left_ = 0, bytes_ = 0;
};

struct Load {
  explicit Load(Target the_target) : target(std::move(the_target)) {
    context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_mode(context,
                     SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
    // A system call takes what is there, not a record's head and then its body: the load shares the processors.
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_default_read_buffer_len(context, 64 << 10);
    epoll = epoll_create1(EPOLL_CLOEXEC);
  }
  Connection& Add() {
    connections.push_back(std::make_unique<Connection>(context, target));
    epoll_event event{.events = EPOLLIN, .data = {.u64 = connections.size() - 1}};
    epoll_ctl(epoll, EPOLL_CTL_ADD, connections.back()->fd(), &event);
    return *connections.back();
  }
  // Calls `ready` with the index of each connection that has something to read, once.
  bool Wait(int milliseconds, const std::function<void(size_t)>& ready) {
    epoll_event events[256];
    int count = epoll_wait(epoll, events, 256, milliseconds);
    for (int i = 0; i < count; ++i) ready(events[i].data.u64);
    return count > 0;
  }
  std::string Request(std::string_view method, std::string_view path, std::string_view accept, std::string_view body,
                      std::string_view media = "application/json") const {
    std::string request(method);
    request += " ";
    request += path;
    request += " HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer " + target.token + "\r\nAccept: ";
    request += accept;
    if (!body.empty()) {
      request += "\r\nContent-Type: ";
      request += media;
      request += "\r\nContent-Length: " + std::to_string(body.size());
    }
    request += "\r\n\r\n";
    request += body;
    return request;
  }

  Target target;
  SSL_CTX* context = nullptr;
  int epoll = -1;
  std::vector<std::unique_ptr<Connection>> connections;
};

double Seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

double Percentile(std::vector<double>& values, double part) {
  if (values.empty()) return 0;
  size_t at = std::min(values.size() - 1, static_cast<size_t>(part * static_cast<double>(values.size())));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

constexpr std::string_view kJson = "application/json";
constexpr std::string_view kMaps = "/api/v1/namespaces/default/configmaps";

std::string ConfigMap(const std::string& name, size_t bytes, uint64_t number) {
  // One of 3,333 groups of 30: what a selector list looks for among 100,000.
  std::string head = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
                     R"(","labels":{"group":"g)" + std::to_string(number / 30) + R"("}},"data":{"payload":")";
  return head + std::string(bytes, 'x') + "\"}}";
}

// Keeps every connection busy with the requests that `next` makes for it ("" none) until `seconds` are over and prints
// the rate.
void Closed(Load& load, int connections, double seconds, int expected, const std::function<std::string(size_t)>& next) {
  uint64_t done = 0, running = 0;
  std::vector<double> latencies;
  auto send = [&](size_t index) {
    Connection& connection = *load.connections[index];
    std::string request = next(index);
    if (request.empty()) return;
    connection.Begin();
    connection.Send(std::move(request));
    ++running;
  };
  for (int i = 0; i < connections; ++i) load.Add();
  Clock::time_point begin = Clock::now();
  Clock::time_point end = begin + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  for (size_t i = 0; i < load.connections.size(); ++i) send(i);
  while (running > 0) {
    load.Wait(1000, [&](size_t index) {
      Connection& connection = *load.connections[index];
      if (!connection.ReadAnswer()) return;
      --running;
      if (connection.status() != expected) Die("status " + std::to_string(connection.status()));
      ++done;
      latencies.push_back(Seconds(Clock::now() - connection.sent()));
      if (Clock::now() < end) send(index);
    });
  }
  double took = Seconds(Clock::now() - begin);
  uint64_t bytes = 0;
  for (auto& connection : load.connections) bytes += connection->bytes();
  std::printf("{\"operations\":%lu,\"seconds\":%.4f,\"bytes\":%lu,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n", done, took,
              bytes, 1e3 * Percentile(latencies, 0.5), 1e3 * Percentile(latencies, 0.99));
}

std::string StandardInput() {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t got = read(0, buffer, sizeof(buffer));
    if (got <= 0) return text;
    text.append(buffer, static_cast<size_t>(got));
  }
}

// `text` with the numbers of the request and of the connection in it.
std::string Filled(const std::string& text, const std::string& request, const std::string& connection) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '@' && i + 1 < text.size() && (text[i + 1] == 'n' || text[i + 1] == 'c')) {
      out += text[++i] == 'n' ? request : connection;
    } else {
      out += text[i];
    }
  }
  return out;
}

void OpenWatches(Load& load, const std::string& path, int count) {
  for (int i = 0; i < count; ++i) load.Add().Send(load.Request("GET", path, kJson, ""));
}

void Watch(Load& load, const std::string& path, int watchers, uint64_t writes, size_t bytes, double rate) {
  OpenWatches(load, path, watchers);
  // The head of every watch's answer has come, and what it may have begun with is passed.
  std::vector<bool> open(static_cast<size_t>(watchers));
  size_t opened = 0;
  while (opened < open.size()) {
    load.Wait(1000, [&](size_t index) {
      load.connections[index]->Read([](std::string_view) {});
      if (!open[index]) open[index] = true, ++opened;
    });
  }
  while (load.Wait(300, [&](size_t index) { load.connections[index]->Read([](std::string_view) {}); })) continue;
  size_t writer = load.connections.size();
  load.Add();
  std::vector<uint64_t> seen(static_cast<size_t>(watchers));
  std::vector<char> last(static_cast<size_t>(watchers));
  std::vector<Clock::time_point> acknowledged(writes);
  std::vector<double> latencies;
  latencies.reserve(writes * static_cast<size_t>(watchers));
  uint64_t begun = 0, written = 0, received = 0, wanted = writes * static_cast<uint64_t>(watchers);
  std::string prefix = "w" + std::to_string(getpid()) + "-";
  auto write = [&] {
    load.connections[writer]->Begin();
    load.connections[writer]->Send(
        load.Request("POST", kMaps, kJson, ConfigMap(prefix + std::to_string(begun), bytes, begun)));
    ++begun;
  };
  // Whoever measures the server's CPU leaves the handshakes out: it waits for this line and says when to go on.
  std::printf("{\"watches\":%d}\n", watchers);
  std::fflush(stdout);
  char go = 0;
  if (read(0, &go, 1) < 0) Die("no standard input");
  Clock::time_point begin = Clock::now();
  // Until the next write may begin; negative where it must wait for an answer, or was the last.
  auto until_next = [&] {
    if (begun > written || begun == writes) return -1;
    const double left = rate > 0 ? static_cast<double>(begun) / rate - Seconds(Clock::now() - begin) : 0;
    return left > 0 ? static_cast<int>(left * 1e3) + 1 : 0;
  };
  auto take = [&](size_t index) {
    if (index == writer) {
      if (!load.connections[writer]->ReadAnswer()) return;
      acknowledged[written++] = Clock::now();
      if (until_next() == 0) write();
      return;
    }
    load.connections[index]->Read([&](std::string_view piece) {
      Clock::time_point now = Clock::now();
      for (size_t at = 0; (at = piece.find('\n', at)) != std::string_view::npos; ++at) {
        // Events end with "}\n"; the lines of chunks with "\r\n".
        if ((at > 0 ? piece[at - 1] : last[index]) != '}') continue;
        uint64_t number = seen[index]++;
        ++received;
        if (number < written) {
          latencies.push_back(Seconds(now - acknowledged[number]));
        } else {
          latencies.push_back(0);
        }
      }
      if (!piece.empty()) last[index] = piece.back();
    });
  };
  while (received < wanted || written < writes) {
    const int pause = until_next();
    if (pause == 0) write();
    if (!load.Wait(pause > 0 ? pause : 5000, take) && pause <= 0)
      Die("events are missing: " + std::to_string(received) + " of " + std::to_string(wanted));
  }
  double took = Seconds(Clock::now() - begin);
  std::printf("{\"operations\":%lu,\"seconds\":%.4f,\"p50_ms\":%.3f,\"p99_ms\":%.3f}\n", received, took,
              1e3 * Percentile(latencies, 0.5), 1e3 * Percentile(latencies, 0.99));
}

void Idle(Load& load, const std::string& path, int watchers) {
  OpenWatches(load, path, watchers);
  std::printf("{\"watches\":%d}\n", watchers);
  std::fflush(stdout);
  char byte = 0;
  while (read(0, &byte, 1) > 0) continue;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() < 5) Die("usage: see the head of its source");
  size_t colon = words[1].rfind(':');
  Load load({.host = words[1].substr(0, colon), .token = words[2], .port = std::atoi(words[1].c_str() + colon + 1)});
  const std::string& mode = words[0];
  const std::string& what = words[3];
  int connections = std::atoi(words[4].c_str());
  double amount = words.size() > 5 ? std::atof(words[5].c_str()) : 0;
  size_t bytes = words.size() > 6 ? static_cast<size_t>(std::atoi(words[6].c_str())) : 0;
  uint64_t number = 0;
  if (mode == "create") {
    Closed(load, connections, amount, 201, [&](size_t) {
      std::string name = what + std::to_string(number);
      return load.Request("POST", kMaps, kJson, ConfigMap(name, bytes, number++));
    });
  } else if (mode == "fill") {
    Closed(load, connections, 1e9, 201, [&](size_t) -> std::string {
      if (number >= static_cast<uint64_t>(amount)) return "";
      std::string name = what + std::to_string(number);
      return load.Request("POST", kMaps, kJson, ConfigMap(name, bytes, number++));
    });
  } else if (mode == "get") {
    std::string accept = words.size() > 6 ? words[6] : std::string(kJson);
    std::string request = load.Request("GET", what, accept, "");
    Closed(load, connections, amount, 200, [&](size_t) { return request; });
  } else if (mode == "send") {
    if (words.size() < 9) Die("usage: see the head of its source");
    const std::string body = StandardInput();
    Closed(load, connections, amount, std::atoi(words[8].c_str()), [&](size_t index) {
      const std::string n = std::to_string(number++), c = std::to_string(index);
      return load.Request(words[6], Filled(what, n, c), kJson, Filled(body, n, c), words[7]);
    });
  } else if (mode == "watch") {
    Watch(load, what, connections, static_cast<uint64_t>(amount), bytes,
          words.size() > 7 ? std::atof(words[7].c_str()) : 0);
  } else if (mode == "idle") {
    Idle(load, what, connections);
  } else {
    Die("no mode " + mode);
  }
}
