#include <QTemporaryDir>
#include <QTest>

#include "core/support/file.h"
#include "core/tensor/safetensors.h"

using namespace rx;

namespace {
std::string file(const std::string& header, size_t dataBytes) {
  const uint64_t length = header.size();
  return std::string(reinterpret_cast<const char*>(&length), 8) + header + std::string(dataBytes, '\0');
}
std::string ruleOf(const std::string& bytes) {
  auto result = parseSafetensors(bytes, nullptr);
  return result.ok() ? "" : result.diagnostics()[0].rule;
}
}  // namespace

class SafetensorsTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void roundTrips();
  void refusesBadFiles_data();
  void refusesBadFiles();
  void refusesCutFiles();
};

void SafetensorsTest::roundTrips() {
  QTemporaryDir folder;
  const std::string path = folder.filePath("w.safetensors").toStdString();
  const std::vector<double> values = {1, 2, 3, 4, 5, 6};
  std::vector<NamedTensor> tensors;
  for (const char* type : {"float32", "float16", "bfloat16", "int64", "uint8", "bool", "float8_e4m3fn"}) {
    tensors.emplace_back(type, *HostTensor::fromDoubles({2, 3}, *DataType::parse(type), values));
  }
  tensors.emplace_back("empty", *HostTensor::allocate({0, 4}, DataType::Float(32)));
  QVERIFY(writeSafetensors(path, tensors).ok());
  auto back = readSafetensors(path);
  QVERIFY(back.ok());
  QCOMPARE(back->size(), tensors.size());
  for (const auto& [name, tensor] : tensors) {
    const auto found = std::find_if(back->begin(), back->end(), [&](const NamedTensor& t) { return t.first == name; });
    QVERIFY(found != back->end());
    QVERIFY(found->second->identical(*tensor));
    QVERIFY(!found->second->storage()->writable());
  }
  QVERIFY(!writeSafetensors(path, {tensors[0], tensors[0]}).ok());
  QCOMPARE(writeSafetensors(path, {{"\xff", *HostTensor::allocate({1}, DataType::Int(8))}}).diagnostics()[0].rule,
           std::string("safetensors.name"));
  for (const char* name : {"%s", "a\nb", "\xf0\x9f\x98\x80", "../x", "\"\\"}) {
    QVERIFY(writeSafetensors(path, {{name, *HostTensor::allocate({1}, DataType::Int(8))}}));
    QCOMPARE(readSafetensors(path)->front().first, std::string(name));
  }
  QVERIFY(!writeSafetensors(path, {{"x", HostTensor::scalar(*DataType::parse("float4_e2m1fn"), 1)}}).ok());
}

void SafetensorsTest::refusesBadFiles_data() {
  QTest::addColumn<QByteArray>("header");
  QTest::addColumn<QString>("rule");
  QTest::newRow("no json") << QByteArray("{\"a\":") << "safetensors.header";
  QTest::newRow("list") << QByteArray("[]") << "safetensors.header";
  QTest::newRow("no shape") << QByteArray(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})") << "safetensors.header";
  QTest::newRow("unknown type") << QByteArray(R"({"a":{"dtype":"Q4","shape":[1],"data_offsets":[0,4]}})")
                                << "safetensors.header";
  QTest::newRow("negative") << QByteArray(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})")
                            << "safetensors.header";
  QTest::newRow("past the end") << QByteArray(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})")
                                << "safetensors.size";
  QTest::newRow("wrong size") << QByteArray(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})")
                              << "safetensors.size";
  QTest::newRow("backwards") << QByteArray(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})")
                             << "safetensors.size";
  QTest::newRow("overflow") << QByteArray(
                                   R"({"a":{"dtype":"F32","shape":[4611686018427387904,8],"data_offsets":[0,8]}})")
                            << "safetensors.size";
  QTest::newRow("overlap")
      << QByteArray(
             R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"F32","shape":[1],"data_offsets":[2,6]}})")
      << "safetensors.size";
  QTest::newRow("gap")
      << QByteArray(
             R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})")
      << "safetensors.size";
  QTest::newRow("gap before") << QByteArray(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})")
                              << "safetensors.size";
  QTest::newRow("rest") << QByteArray(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})")
                        << "safetensors.size";
  QTest::newRow("nothing but a rest") << QByteArray("{}") << "safetensors.size";
  QTest::newRow("one name twice")
      << QByteArray(
             R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})")
      << "safetensors.header";
}

void SafetensorsTest::refusesBadFiles() {
  QFETCH(QByteArray, header);
  QFETCH(QString, rule);
  QCOMPARE(QString::fromStdString(ruleOf(file(header.toStdString(), 8))), rule);
}

void SafetensorsTest::refusesCutFiles() {
  const std::string whole =
      file(R"({"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 8);
  QCOMPARE(ruleOf(whole), std::string());
  for (size_t cut = 0; cut < whole.size(); ++cut) QVERIFY(!ruleOf(whole.substr(0, cut)).empty());
}

QTEST_APPLESS_MAIN(SafetensorsTest)
#include "tst_safetensors.moc"
